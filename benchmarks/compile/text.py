#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How much code a program makes the compiler emit: that is what compiling costs, and the same on every machine, unlike
seconds. Over the programs here, seconds of g++ 12 -O2 are about 9 + 25 for each MB.

text.py [--check] [--built] [--copies N] [--only NAME]... FOLDER COMPILER   such as: text.py build/release g++-12

FOLDER has compile_commands.json, of any build: of each command only macros and folders of headers are taken. Prints for
each program and yardstick the bytes in the text column of `size` (of objects that are compiled for it alone; shared ones
stand apart), the share of further copies of functions of the same name, and the functions with most of them.

--check    compares with limits.json beside this script, says what grew, and ends with 1 where something is above its
           limit; with 77 where the compiler is not the one of the limits
--built    takes objects of the build, which must be up to date, where their command has just these options
--copies N how many functions to name"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("count_tokens", "reduce_file", "chat", "proxy", "recall_server", "replay")
SHARED = ("command_line", "kept")
OPTIONS = ("-O2", "-DNDEBUG")

OWN_STRUCT = r"""
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <condense/condense.hpp>
struct my_message { condense::role author; std::string text; std::string call; };
template <> struct condense::message_traits<my_message> {
    static role role_of(my_message const& m) { return m.author; }
    static void each_part(my_message const& m, auto&& sink) {
        if (m.author == role::tool) return sink(part_view{.kind = part_kind::tool_result, .text = m.text, .call = m.call});
        sink(part_view{.text = m.text});
        if (!m.call.empty()) sink(part_view{.kind = part_kind::tool_call, .text = "{}", .tool = "read", .call = m.call});
    }
    static my_message with_part(my_message const& m, std::size_t, std::string text) { return {m.author, text, m.call}; }
    static my_message without_part(my_message const& m, std::size_t) { return {m.author, m.text, {}}; }
    static my_message make(role author, std::string text) { return {author, text, {}}; }
    static std::string to_bytes(my_message const& m) { return m.text; }
    static std::optional<my_message> from_bytes(std::string_view) { return {}; }
};
struct shelf {
    condense::reference name(std::string_view text) const { return {{static_cast<unsigned char>(text.size())}}; }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
};
struct diary {
    condense::reference name(std::string_view text) const { return {{static_cast<unsigned char>(text.size())}}; }
    condense::store_error append(std::string_view, condense::journal_entry const&, std::string_view) const { return {}; }
    condense::store_error flush(std::string_view) const { return {}; }
    condense::store_error read(std::string_view, auto&&) const { return {}; }
};
std::string ask(std::string_view prompt) { return std::string{prompt.substr(0, 9)}; }
using condense::used;
"""
JSON_MESSAGE = OWN_STRUCT + "#include <condense/adapt/json.hpp>\n"
RECOMMENDED = "#include <condense/preset/recommended.hpp>\n"
REDUCE = """
int main(int count, char**) {{
    std::vector<{message}> history(static_cast<std::size_t>(count) * 99);
    return condense::reduce(history, {mix}, {{.window = {{400}}}}).fits() ? 0 : 1;
}}
"""
SESSION = """
#include <condense/session/session.hpp>
int main(int count, char**) {{
    condense::session agent{{std::vector<{message}>{{}}, {mix}, {{.window = {{400}}}}}};
    for (int turn = 0; turn < count; ++turn) agent.push({message}{{}});
    agent.prepare();
    return static_cast<int>(agent.request().size());
}}
"""
WINDOW = "condense::pipeline{condense::sliding_window{.when = used >= condense::percent{9'000}}}"
THREE = ("condense::pipeline{condense::offload{.into = shelf{}}, condense::compress{.when = used >= condense::percent{6'500}}, "
         "condense::sliding_window{.when = used >= condense::percent{9'000}}}")
PRESET = "condense::presets::recommended(diary{}, shelf{}, ask)"
YARDSTICKS = {
    "own struct, a window": OWN_STRUCT + REDUCE.format(message="my_message", mix=WINDOW),
    "own struct, three layers": OWN_STRUCT + REDUCE.format(message="my_message", mix=THREE),
    "own struct, recommended": OWN_STRUCT + RECOMMENDED + REDUCE.format(message="my_message", mix=PRESET),
    "a session, recommended": OWN_STRUCT + RECOMMENDED + SESSION.format(message="my_message", mix=PRESET),
    "a JSON message, recommended": JSON_MESSAGE + RECOMMENDED + REDUCE.format(message="nlohmann::ordered_json", mix=PRESET),
}


def found_sources(folder):
    """{program: [(source, folder, options, object)]}, of those programs that the build has; no object where the build has
    it by other options."""
    found = collections.defaultdict(list)
    for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        words = entry.get("arguments") or shlex.split(entry["command"])
        target = re.search(r"([^/]+)[.]dir/", words[words.index("-o") + 1])
        if not target or target[1] not in PROGRAMS + SHARED:
            continue
        options = [word for at, word in enumerate(words)
                   if re.match(r"-[DI]|-std=", word) or word == "-isystem" or words[at - 1] == "-isystem"]
        options = [word for word in options if not re.match(r"-D(_GLIBCXX_|_FORTIFY)|-DNDEBUG", word)]
        same = (set(OPTIONS) <= set(words) and [word for word in words if word.startswith("-O")][-1] == OPTIONS[0]
                and ("-D_GLIBCXX_ASSERTIONS" not in words or "-U_GLIBCXX_ASSERTIONS" in words))
        made = pathlib.Path(entry["directory"], words[words.index("-o") + 1])
        found[target[1]].append((entry["file"], entry["directory"], options, made if same else None))
    return found


def compiled(compiler, source, folder, options, to, made=None):
    if made and made.exists():
        return made
    cache = [shutil.which("ccache")] if shutil.which("ccache") else []
    command = [*cache, *shlex.split(compiler), *options, *OPTIONS, "-w", "-c", source, "-o", to]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1800, check=False)
    if done.returncode != 0:
        raise SystemExit(f"text.py: {source} does not compile:\n{done.stderr[-3000:]}")
    return to


def text_of(path):
    return int(subprocess.run(["size", path], capture_output=True, text=True, check=True).stdout.split("\n")[1].split()[0])


def plain_name(name):
    """A function's name without template arguments, parameters and return type."""
    name = re.sub(r"operator(<=>|<<|>>|<=|>=|<|>|->|\(\))", lambda made: "operator" + "".join(f"_{ord(c)}" for c in made[1]), name)
    name = name.replace("->", "~")
    for opening, closing in ("<>", "()", "[]", "{}"):
        kept, depth = [], 0
        for letter in name:
            depth += letter == opening
            if depth == 0:
                kept.append(letter)
            depth -= letter == closing and depth > 0
        name = "".join(kept)
    return re.sub(r"\.(part|cold|constprop|isra|lto_priv).*| const$", "", name).split(" ")[-1] or name


def functions_of(paths):
    """{plain name: [sizes]}"""
    found = collections.defaultdict(list)
    for path in paths:
        lines = subprocess.run(["nm", "-S", "-C", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        for line in lines.splitlines():
            row = re.match(r"[0-9a-f]+ ([0-9a-f]+) [tTwW] (.*)", line)
            if row:
                found[plain_name(row[2])].append(int(row[1], 16))
    return found


def measured(name, objects):
    functions = functions_of(objects)
    total = sum(map(sum, functions.values()))
    further = {function: sum(sizes) - max(sizes) for function, sizes in functions.items()}
    most = sorted(further, key=lambda function: -further[function])
    return {"name": name, "text": sum(map(text_of, objects)), "further": sum(further.values()) / max(1, total),
            "most": [(function, len(functions[function]), sum(functions[function])) for function in most]}


def measure(folder, compiler, only, built):
    """The rows, in order: programs, what they share, yardsticks."""
    sources = found_sources(folder)
    with tempfile.TemporaryDirectory() as made, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        work = {}
        for name in (*PROGRAMS, *SHARED):
            if name in sources and (not only or name in only):
                work[name] = [pool.submit(compiled, compiler, source, where, options, f"{made}/{name}_{at}.o",
                                          there if built else None)
                              for at, (source, where, options, there) in enumerate(sources[name])]
        for at, (name, text) in enumerate(YARDSTICKS.items()):
            if not only or name in only:
                pathlib.Path(made, f"yardstick_{at}.cpp").write_text(text, encoding="utf-8")
                work[name] = [pool.submit(compiled, compiler, f"{made}/yardstick_{at}.cpp", ROOT,
                                          ["-std=c++20", f"-I{ROOT}/include"], f"{made}/yardstick_{at}.o")]
        return [measured(name, [each.result() for each in objects]) for name, objects in work.items()]


def version_of(compiler):
    return subprocess.run([*shlex.split(compiler), "-dumpfullversion", "-dumpversion"], capture_output=True, text=True,
                          check=True).stdout.split(".")[0].strip()


def above(rows, limits):
    """A line for each figure that is above its limit or has none."""
    for row in rows:
        limit = limits.get(row["name"])
        if limit is None:
            yield f"{row['name']}: limits.json has no limit for it"
        elif row["text"] > limit:
            most = "; ".join(f"{function}: {count} copies, {size:,} bytes" for function, count, size in row["most"][:6])
            yield f"{row['name']}: {row['text']:,} bytes of text, {limit:,} at most. Most copies: {most}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--built", action="store_true")
    arguments.add_argument("--copies", type=int, default=3)
    arguments.add_argument("--only", action="append", default=[])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("compiler")
    given = arguments.parse_args()
    known = json.loads((HERE / "limits.json").read_text(encoding="utf-8"))
    if given.check and version_of(given.compiler) != known["compiler"]:
        print(f"skipped: the limits are of g++ {known['compiler']}, this is {version_of(given.compiler)}")
        sys.exit(77)
    rows = measure(given.folder.resolve(), given.compiler, given.only, given.built)
    print("| program | text, KB | further copies | most of them |\n|---|---:|---:|---|")
    for row in rows:
        most = "; ".join(f"{count} x `{function.replace('condense::v1::', '')}` {size / 1000:.0f} KB"
                         for function, count, size in row["most"][:given.copies])
        shared = " (shared)" if row["name"] in SHARED else ""
        print(f"| {row['name']}{shared} | {row['text'] / 1000:.0f} | {row['further']:.0%} | {most} |")
    missing = [name for name in known["text"] if name not in [row["name"] for row in rows] and not given.only]
    for name in missing:
        print(f"not built here: {name}")
    found = list(above(rows, known["text"])) if given.check else []
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
