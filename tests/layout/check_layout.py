#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks what headers include, and that each has a test of its stem.

A header of the core target includes headers of that target alone, no header includes upward in the order
detail, core, policy, shorten, layer, preset, none is longer than 600 lines or opens a namespace but that of the literals, and what
condense.hpp reaches includes of others only what is listed here: each header more costs every program that includes it.
Every layer is named in the test of the laws of layers. Examples and benchmarks use public names alone.
"""

import pathlib
import re
import sys

# What a header of each folder may include beside its own folder.
BELOW = {
    "detail": set(),
    "core": {"detail"},
    "llm": {"core", "detail"},
    "policy": {"core", "detail"},
    "shorten": {"policy", "core", "detail"},
    "plan": {"shorten", "policy", "llm", "core", "detail"},
    "session": {"llm", "core", "detail"},
    "layer": {"plan", "shorten", "policy", "llm", "core", "detail"},
    "preset": {"layer", "plan", "shorten", "policy", "llm", "core", "detail"},
    "store": {"core", "detail"},
    "estimate": {"core", "detail"},
    "adapt": {"session", "layer", "core", "detail"},
    "client": {"config", "adapt", "llm", "core", "detail"},
    "config": {"adapt", "estimate", "core", "detail"},
    "testing": {"adapt", "session", "layer", "policy", "core", "detail"},
    "recovery": {"session", "plan", "core", "detail"},
    "replay": {"store", "estimate", "session", "layer", "shorten", "policy", "llm", "core", "detail"},
}
LIGHT = {
    "array", "bit", "compare", "concepts", "cstddef", "cstdint", "cstring", "ctime", "exception", "optional", "string",
    "string_view", "type_traits", "utility", "vector",
    "boost/hana/at.hpp", "boost/hana/basic_tuple.hpp",
}


def core_headers(cmake):
    listed = re.search(r"target_sources\(condense INTERFACE FILE_SET HEADERS BASE_DIRS include FILES(.*?)\)", cmake, re.S)
    return set(re.findall(r"include/condense/(\S+\.hpp)", listed.group(1)))


def reached(includes, header):
    """All headers that `header` includes, itself among them."""
    seen, left = set(), [header]
    while left:
        one = left.pop()
        if one in seen:
            continue
        seen.add(one)
        left += [each[len("condense/"):] for each in includes.get(one, []) if each.startswith("condense/")]
    return seen


def problems(includes, listed, tests, lines, opened, moved=frozenset()):
    """includes: {header: [what it includes]}, paths as in condense/...; tests: the stems that have one; opened: {header: [namespaces]}."""
    found = []
    light = reached(includes, "condense.hpp")
    for header, wanted in sorted(includes.items()):
        if header in moved:
            continue
        folder = header.split("/")[0]
        for each in wanted:
            if not each.startswith("condense/"):
                if header in light and each not in LIGHT:
                    found.append(f"{header} includes <{each}>, which is not among what condense.hpp may reach")
                continue
            name = each[len("condense/"):]
            if name not in includes:
                found.append(f"{header} includes {name}, which does not exist")
            elif header in listed and name not in listed:
                found.append(f"{header} is of the core target and includes {name}, which is not")
            elif folder in BELOW and "/" in name:
                other = name.split("/")[0]
                if other != folder and other not in BELOW[folder]:
                    found.append(f"{header} includes {name}: upward")
        if lines.get(header, 0) > 600:
            found.append(f"{header} has {lines[header]} lines: split it at its second idea")
        found += [f"{header} opens namespace {name}" for name in opened.get(header, []) if name != "literals"]
        if "/" in header and header[:-len(".hpp")] not in tests:
            found.append(f"{header} has no test of its stem")
    return found


# In layer/, and no layers: what layers share, and a choice between two.
NO_LAYERS = {"layer/arrival_memory.hpp", "layer/exhausted_parts.hpp", "layer/fallback.hpp", "layer/journal_index.hpp", "layer/number_runs.hpp", "layer/plan_memory.hpp", "layer/slots.hpp", "layer/summary_reader.hpp"}


def unproved(includes, laws):
    """Layers that the test of the laws of layers does not name: `laws` is its text."""
    return [f"{header} is not named in tests/laws/layers.test.cpp" for header in sorted(includes)
            if header.startswith("layer/") and header not in NO_LAYERS and f"#include <condense/{header}>" not in laws]


def private_names(sources):
    """sources: {path: text} of what shows users how the library is used."""
    return [f"{path} uses the private namespace condense::detail" for path, text in sorted(sources.items())
            if re.search(r"\bdetail::|\bnamespace detail\b", text)]


def read(root):
    base = root / "include" / "condense"
    includes, lines, opened, moved = {}, {}, {}, set()
    for path in sorted(base.rglob("*.hpp")):
        text = path.read_text(encoding="utf-8")
        header = str(path.relative_to(base))
        if "// Moved; this line stays for one release." in text and text.count("\n") == 5:
            moved.add(header)
        lines[header] = text.count("\n")
        includes[header] = re.findall(r"^#include <([^>]+)>", text, re.M)
        opened[header] = re.findall(r"^\s*using namespace ([\w:]+)", text, re.M)
    tests = {str(path.relative_to(root / "tests"))[:-len(".test.cpp")] for path in (root / "tests").rglob("*.test.cpp")}
    return includes, core_headers((root / "CMakeLists.txt").read_text(encoding="utf-8")), tests, lines, opened, frozenset(moved)


def selftest(includes, listed, tests, lines, opened, moved):
    """Each defect planted in what was read must be found."""
    header = "core/outline.hpp"
    planted = {
        "a store in the core": ({**includes, header: includes[header] + ["condense/store/memory.hpp"]}, listed, tests, lines, opened),
        "a layer in a policy": ({**includes, "policy/order.hpp": ["condense/layer/compress.hpp"]}, listed, tests, lines, opened),
        "a header that is not there": ({**includes, header: ["condense/core/nothing.hpp"]}, listed, tests, lines, opened),
        "a heavy header": ({**includes, header: ["regex"]}, listed, tests, lines, opened),
        "all of a library": ({**includes, header: ["boost/hana.hpp"]}, listed, tests, lines, opened),
        "a header without test": (includes, listed, tests - {"core/outline"}, lines, opened),
        "a long header": (includes, listed, tests, {**lines, header: 601}, opened),
        "a namespace opened": (includes, listed, tests, lines, {**opened, header: ["detail"]}),
        "a policy in an estimator": ({**includes, "estimate/models.hpp": ["condense/policy/trigger.hpp"]}, listed, tests, lines, opened),
    }
    return [name for name, data in planted.items() if len(problems(*data, moved)) <= len(problems(includes, listed, tests, lines, opened, moved))]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    data = read(root)
    laws = (root / "tests" / "laws" / "layers.test.cpp").read_text(encoding="utf-8")
    shown = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
             for folder in ("examples", "benchmarks") for path in (root / folder).rglob("*.[ch]pp")}
    found = problems(*data) + unproved(data[0], laws) + private_names(shown)
    found += [f"not noticed: {name}" for name in selftest(*data)]
    if len(unproved({**data[0], "layer/new.hpp": []}, laws)) != len(unproved(data[0], laws)) + 1:
        found.append("not noticed: a layer without laws")
    if len(private_names({**shown, "examples/new.cpp": "condense::detail::utf8"})) != len(private_names(shown)) + 1:
        found.append("not noticed: a private name")
    for each in found:
        print(each)
    print(f"layout: {len(data[0])} headers, {len(found)} problems")
    return 1 if found else 0


sys.exit(main())
