#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks what headers include, and that each public one has a test of its stem.

A header of the core target includes headers of that target alone, no header includes upward in the order
detail, core, policy, shorten, layer, preset, none opens a namespace but that of the literals, and what
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
    "recovery": {"session", "plan", "estimate", "core", "detail"},
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


def private(includes, umbrellas, documents):
    """Headers that no user includes: all of detail/, and those that other headers include and no document names.

    An umbrella does not count as including. documents: {folder of include/condense or "": text}; a folder's own may name
    its headers by their stems."""
    users = {header: 0 for header in includes}
    for header, wanted in includes.items():
        for each in wanted if header not in umbrellas else ():
            users[each[len("condense/"):]] = users.get(each[len("condense/"):], 0) + each.startswith("condense/")

    paths = set(re.findall(r"[\w/]+\.hpp", " ".join(documents.values())))
    stems = {folder: set(re.findall(r"`(\w+)[`(<{]|(?<![\w/])(\w+)\.hpp", text)) for folder, text in documents.items()}

    def is_named(header):
        folder, stem = header.split("/")[0], pathlib.PurePosixPath(header).stem
        return header in paths or f"condense/{header}" in paths or any(stem in pair for pair in stems.get(folder, ()))

    return {header for header in includes
            if header.startswith("detail/") or "/" in header and users[header] >= 1 and not is_named(header)}


def problems(includes, listed, tests, opened, umbrellas, documents):
    """includes: {header: [what it includes]}, paths as in condense/...; tests: the stems that have one; opened: {header: [namespaces]}."""
    found = []
    light, inner = reached(includes, "condense.hpp"), private(includes, umbrellas, documents)
    for header, wanted in sorted(includes.items()):
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
        found += [f"{header} opens namespace {name}" for name in opened.get(header, []) if name != "literals"]
        if "/" in header and header not in inner and header[:-len(".hpp")] not in tests:
            found.append(f"{header} has no test of its stem")
    return found


# In layer/, and no layers: what layers share, and a choice between two.
NO_LAYERS = {"layer/arrival_memory.hpp", "layer/exhausted_parts.hpp", "layer/fallback.hpp", "layer/journal_index.hpp", "layer/number_runs.hpp", "layer/plan_memory.hpp", "layer/slots.hpp", "layer/summary_reader.hpp", "layer/summary_selection.hpp"}


def unproved(includes, laws):
    """Layers that the test of the laws of layers does not name: `laws` is its text."""
    return [f"{header} is not named in tests/laws/layers.test.cpp" for header in sorted(includes)
            if header.startswith("layer/") and header not in NO_LAYERS and f"#include <condense/{header}>" not in laws]


def private_names(sources):
    """sources: {path: text} of what shows users how the library is used."""
    return [f"{path} uses the private namespace condense::detail" for path, text in sorted(sources.items())
            if re.search(r"\bdetail::|\bnamespace detail\b", text)]


def read(root):
    """The arguments of `problems`."""
    base = root / "include" / "condense"
    includes, opened, umbrellas = {}, {}, set()
    texts = {str(path.relative_to(base)): path.read_text(encoding="utf-8") for path in sorted(base.rglob("*.hpp"))}
    for header, text in texts.items():
        includes[header] = re.findall(r"^#include <([^>]+)>", text, re.M)
        opened[header] = re.findall(r"^\s*using namespace ([\w:]+)", text, re.M)
        if not re.sub(r"//[^\n]*|#[^\n]*|\s", "", text):
            umbrellas.add(header)
    tests = {str(path.relative_to(root / "tests"))[:-len(".test.cpp")] for path in (root / "tests").rglob("*.test.cpp")}
    documents = {path.parent.name: path.read_text(encoding="utf-8") for path in base.glob("*/README.md")}
    documents[""] = "\n".join(path.read_text(encoding="utf-8") for path in
                              [root / "README.md", *sorted((root / "examples").rglob("*.md")), *sorted((root / "examples").rglob("*.[ch]pp"))])
    listed = core_headers((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    return {"includes": includes, "listed": listed, "tests": tests, "opened": opened, "umbrellas": umbrellas,
            "documents": documents}


def selftest(data):
    """Each defect planted in what was read must be found, and what is none must not."""
    header, includes, documents = "core/outline.hpp", data["includes"], data["documents"]
    new = {**includes, "core/new.hpp": []}
    data = {**data, "listed": data["listed"] | {"core/new.hpp"}}
    planted = {
        "a store in the core": {"includes": {**includes, header: includes[header] + ["condense/store/memory.hpp"]}},
        "a layer in a policy": {"includes": {**includes, "policy/order.hpp": ["condense/layer/compress.hpp"]}},
        "a header that is not there": {"includes": {**includes, header: ["condense/core/nothing.hpp"]}},
        "a heavy header": {"includes": {**includes, header: ["regex"]}},
        "all of a library": {"includes": {**includes, header: ["boost/hana.hpp"]}},
        "a public header without test": {"includes": new},
        "a header of one and an umbrella, named, without test": {
            "includes": {**new, header: includes[header] + ["condense/core/new.hpp"]},
            "documents": {**documents, "core": documents["core"] + "`new`"}},
        "a namespace opened": {"opened": {**data["opened"], header: ["detail"]}},
        "a policy in an estimator": {"includes": {**includes, "estimate/models.hpp": ["condense/policy/trigger.hpp"]}},
    }
    sound = {
        "a fragment": {**new, "core/saved_edits.hpp": includes["core/saved_edits.hpp"] + ["condense/core/new.hpp"],
                       "condense.hpp": includes["condense.hpp"] + ["condense/core/new.hpp"]},
        "a private header": {**includes, "detail/new.hpp": []},
    }
    before = problems(**data)
    return [f"not noticed: {name}" for name, change in planted.items() if len(problems(**{**data, **change})) <= len(before)] + \
        [f"refused: {name}" for name, change in sound.items()
         if [each for each in problems(**{**data, "includes": change}) if "new.hpp has no test" in each]]


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    data = read(root)
    laws = (root / "tests" / "laws" / "layers.test.cpp").read_text(encoding="utf-8")
    shown = {str(path.relative_to(root)): path.read_text(encoding="utf-8")
             for folder in ("examples", "benchmarks") for path in (root / folder).rglob("*.[ch]pp")}
    includes = data["includes"]
    found = problems(**data) + unproved(includes, laws) + private_names(shown) + selftest(data)
    if len(unproved({**includes, "layer/new.hpp": []}, laws)) != len(unproved(includes, laws)) + 1:
        found.append("not noticed: a layer without laws")
    if len(private_names({**shown, "examples/new.cpp": "condense::detail::utf8"})) != len(private_names(shown)) + 1:
        found.append("not noticed: a private name")
    for each in found:
        print(each)
    print(f"layout: {len(includes)} headers, {len(found)} problems")
    return 1 if found else 0


sys.exit(main())
