#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares compiler time (g++) with two goals: including condense.hpp costs at most 0.4 times nlohmann/json.hpp, and
an optimised program with a pipeline of six layers at most 1.5 times one that parses and prints one document. Both are
missed today: benchmarks/README.md has the measured ratios.

cost.py [--rounds N] [--table | --instructions] COMPILER...   such as: cost.py g++ -std=c++20 -Iinclude
--table prints Markdown: every public header, programs with many pipelines, and other libraries beside them.
--instructions counts those of the compiler under valgrind, one round, in place of seconds: slow, and the same each time.

The programs of a comparison take turns, so that other load on the machine slows all of them; the least user time of
N rounds counts. It is a measurement, not a test: it prints what it measured and succeeds."""

import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from commands import Failed, run

LIMIT = 1800  # seconds for one compilation
# The example whose mix is in one translation unit.
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
ONE_UNIT = {"the unit that holds the mix": EXAMPLES / "hide_templates" / "history.cpp",
            "a unit that calls it": EXAMPLES / "hide_templates.cpp"}
ONE_UNIT_TEXTS = {name: f'#include "{source}"\n' for name, source in ONE_UNIT.items()}

INCLUDES = {
    "condense/condense.hpp": "#include <condense/condense.hpp>\n",
    "nlohmann/json.hpp": "#include <nlohmann/json.hpp>\n",
}

SIX_LAYERS = r"""
#include <string>
#include <string_view>
#include <vector>
#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
struct shelf {
    condense::reference name(std::string_view content) const { return {{static_cast<unsigned char>(content.size())}}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
int main(int count, char**) {
    std::vector<condense::chat_message> history(static_cast<std::size_t>(count) * 99, condense::chat_message::user("Hello."));
    using condense::used;
    condense::pipeline const mix{
        condense::offload{.into = shelf{}},
        condense::compress{.when = used >= condense::percent{5'000}},
        condense::compress{.when = used >= condense::percent{6'000}, .with = condense::head{}},
        condense::summarize{.when = used >= condense::percent{7'000}},
        condense::sliding_window{.when = used >= condense::percent{9'000}},
        condense::escalate{.when = used >= condense::percent{9'000}}};
    return condense::reduce(history, mix, {.window = {400}}).fits() ? 0 : 1;
}
"""

ONE_DOCUMENT = r"""
#include <cstdio>
#include <nlohmann/json.hpp>
int main(int, char** words) {
    auto const document = nlohmann::json::parse(words[0] == nullptr ? "{}" : words[0], nullptr, false);
    std::puts(document.dump(2).c_str());
}
"""


# Layers for programs with several pipelines: each of its own type, so that nothing is shared but what they have in common.
LAYER_TEXTS = (
    "condense::compress{{.when = condense::used >= condense::percent{{{0}}}, .over = condense::chars{{{0}}}}}",
    "condense::sliding_window{{.when = condense::used > condense::messages{{{0}}}}}",
    "condense::compress{{.when = condense::used > condense::tokens{{{0}}}, .with = condense::head{{}}}}",
    "condense::sliding_window{{.when = condense::headroom < condense::tokens{{{0}}}}}",
    "condense::summarize{{.when = condense::used >= condense::percent{{{0}}}}}",
    "condense::compress{{.when = condense::used >= condense::tokens{{{0}}}, .with = condense::tail{{}}}}",
)


def pipelines(count, layers):
    """A program with so many pipelines of so many layers; no two of them have the same type."""
    lines = ["#include <vector>", "#include <condense/adapt/chat_message.hpp>", "#include <condense/condense.hpp>"]
    for which in range(count):
        lines.append(f"struct user_{which} {{ constexpr bool operator()(condense::part_view const& p) const {{ return p.text.size() == {which}; }} }};")
        mix = [text.format(5_000 + 10 * which + at) for at, text in enumerate(LAYER_TEXTS[:layers])]
        mix[0] = mix[0].replace(", .over", f", .protect = user_{which}{{}}, .over")
        lines.append(f"bool run_{which}(std::vector<condense::chat_message>& history) {{")
        lines.append(f"    return condense::reduce(history, condense::pipeline{{{', '.join(mix)}}}, {{.window = {{400}}}}).fits();\n}}")
    return "\n".join([*lines, "int main() {}\n"])


def instructions(command):
    """Those of the compiler and all that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes", "--cachegrind-out-file=/dev/null",
             f"--log-file={folder}/%p", *command], LIMIT)
        counts = [re.search(r"I +refs: +([0-9,]+)", log.read_text()) for log in pathlib.Path(folder).iterdir()]
    return sum(int(count[1].replace(",", "")) for count in counts if count) / 1e9


def own_headers(compiler, source):
    """How many headers of condense it reads."""
    return run([*compiler, "-M", source], LIMIT).count("include/condense/")


def user_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run(command, LIMIT)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def compiles(compiler, text):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "one.cpp").write_text(text)
        command = [*compiler, "-fsyntax-only", f"{folder}/one.cpp"]
        return subprocess.run(command, capture_output=True, timeout=300, check=False).returncode == 0


def table(compiler, rounds):
    """All public headers and some others, then programs, each beside nlohmann/json.hpp of the same run."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "include"
    own = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.hpp") if "detail" not in path.parts)
    others = ["nlohmann/json.hpp", "ranges", "range/v3/all.hpp"]
    sources = {name: f"#include <{name}>\n" for name in [*others, *own]}
    sources = {name: text for name, text in sources.items() if compiles(compiler, text)}
    best = measure(compiler, rounds, sources, ["-fsyntax-only"])
    unit = best["nlohmann/json.hpp"]
    print("| including | seconds | of nlohmann/json.hpp |\n|---|---:|---:|")
    for name, seconds in sorted(best.items(), key=lambda row: -row[1]):
        print(f"| `{name}` | {seconds:.2f} | {seconds / unit:.2f} |")
    programs = {"parse and print one document": ONE_DOCUMENT}
    for count, layers in ((1, 1), (1, 6), (8, 6)):
        programs[f"{count} pipeline{'s' if count > 1 else ''} of {layers} layer{'s' if layers > 1 else ''}"] = pipelines(count, layers)
    programs |= ONE_UNIT_TEXTS
    best = measure(compiler, max(1, rounds // 2), programs, ["-O2", "-c"])
    unit = best["parse and print one document"]
    print("\n| a program, -O2 | seconds | of one document |\n|---|---:|---:|")
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.2f} | {seconds / unit:.2f} |")


def foreign_headers():
    """What condense.hpp includes that is not condense's, as one text."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "include" / "condense"
    found, seen, queue = [], set(), [folder / "condense.hpp"]
    while queue:
        header = queue.pop()
        for line in header.read_text().splitlines():
            if not line.startswith("#include <"):
                continue
            name = line[len("#include <") : line.index(">")]
            if name in seen:
                continue
            seen.add(name)
            if name.startswith("condense/"):
                queue.append(folder.parent / name)
            else:
                found.append(name)
    return "".join(f"#include <{name}>\n" for name in sorted(found))


def measure(compiler, rounds, sources, options, cost=user_seconds):
    best = {name: float("inf") for name in sources}
    with tempfile.TemporaryDirectory() as folder:
        for index, text in enumerate(sources.values()):
            pathlib.Path(folder, f"{index}.cpp").write_text(text)
        for _ in range(rounds):
            for index, name in enumerate(sources):
                command = [*compiler, *options, f"{folder}/{index}.cpp", "-o", f"{folder}/{index}.out"]
                best[name] = min(best[name], cost(command))
    return best


def show(title, best, over, under, limit, unit):
    print(title)
    for name, amount in best.items():
        print(f"  {amount:6.2f} {unit}  {name}")
    ratio = best[over] / best[under]
    print(f"  {ratio:6.2f}    {over} / {under}, goal at most {limit}{'' if ratio <= limit else ': MISSED'}")


def main():
    parser = argparse.ArgumentParser(usage="cost.py [--rounds N] [--table | --instructions] COMPILER...")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("compiler", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.compiler:
        parser.error("name a compiler and its options")
    if given.table and given.instructions:
        parser.error("--table is in seconds")
    if given.table:
        table(given.compiler, given.rounds)
        return
    rounds, cost, unit = (1, instructions, "G instructions") if given.instructions else (given.rounds, user_seconds, "s")
    includes = {**INCLUDES, "the headers of others that condense.hpp includes": foreign_headers()}
    best = measure(given.compiler, rounds, includes, ["-fsyntax-only"], cost)
    show("including a header", best, "condense/condense.hpp", "nlohmann/json.hpp", 0.4, unit)
    programs = {"six layers": SIX_LAYERS, "one document": ONE_DOCUMENT, **ONE_UNIT_TEXTS}
    best = measure(given.compiler, max(1, rounds // 2), programs, ["-O2", "-c"], cost)
    show("an optimised program", best, "six layers", "one document", 1.5, unit)
    for name, source in ONE_UNIT.items():
        print(f"  {own_headers(given.compiler, source)} headers of the library are read by {name}")


if __name__ == "__main__":
    try:
        main()
    except Failed as problem:
        raise SystemExit(f"condense: {problem}") from None
