#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes texts with the ids tiktoken gives them, for tests/estimate/bpe/real.test.cpp.

reference.py FOLDER [--transcripts FOLDER] [--long]

FOLDER has cl100k_base.tiktoken and o200k_base.tiktoken (install.sh gets them, and runs this) and gets
cl100k_base.reference and o200k_base.reference. Needs tiktoken from PyPI (checked with 0.14.0). Then run the tests with
CONDENSE_VOCABULARIES=FOLDER. Texts that are not UTF-8 are decoded with replacement before tiktoken sees them.
--long: all pairs of the boundary code points of U+0000 to U+3000 too, some millions of texts.
"""

import argparse
import base64
import itertools
import json
import pathlib
import random
import struct
import unicodedata

any_ = random.Random(20)
SPACES = [chr(c) for c in (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)]
NEAR = list("\x00\x08\x0e\x1c\x1f\u180e\u200b\u200d\u2060\ufeff\ufffd")
FAMILIES = ["👍", "👍🏽", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "☕️"]
WORDS = ("the quick Brown fox HTTPServer camelCase snake_case don't DON'T We'Ve it'ſ o'Re she'LL 'tis ''s x't's't x'tIS naïve Straße Привет "
         "МИР пРиВет 你好世界 こんにちは カタカナ 안녕하세요 ǅungla ʰaʰB เด็ก हिन्दी e\u0301 A\u0301B a\u0301b \u0301A \u0301AB !!\u0301a Ⅳ ² ½ ① १२३४५ "
         "1234567 3.14159 https://a.b/c//d // /\n \n/ !\n/!/\n//a ... --- ?a (b) [c] \"d\" #include {} }; <|endoftext|> \u00ad AAAAaaaa").split(" ")


def cascade():
    kinds = [" ", " ", "\n", "\r\n", "\r", "\t", any_.choice(SPACES), any_.choice(NEAR)]
    return "".join(any_.choice(kinds) * any_.choice([1, 1, 1, 2, 3, any_.randrange(1, 90)]) for _ in range(any_.randrange(1, 8)))


def contraction():
    ends = "s S t T m M d D ll LL lL ve Ve re rE l v r ſ K x".split()
    return (any_.choice(["", "a", "A", " ", "é", "Ж", "1", "!", "'", "x's"]) + any_.choice(["'", "'", "’", "''"]) + any_.choice(ends)
            + any_.choice(["", "a", "A", " ", "é", "1", "'s", "'", "ſ", "\n"]))


def by_category():
    found = {}
    for point in range(0x110000):
        if not 0xD800 <= point < 0xE000:
            found.setdefault(unicodedata.category(chr(point)), []).append(chr(point))
    return list(found.values())


CATEGORIES = by_category()


def piece():
    kind = any_.randrange(14)
    if kind < 6:
        return any_.choice(WORDS) + any_.choice(["", "", " ", "\n", "  "])
    if kind == 6:
        return cascade()
    if kind == 7:
        return contraction()
    if kind == 8:
        return "".join(any_.choice(any_.choice(CATEGORIES)) for _ in range(any_.randrange(1, 12)))
    if kind == 9:
        return str(any_.randrange(10 ** any_.randrange(1, 12)))
    if kind == 10:
        return any_.choice([base64.b64encode(any_.randbytes(any_.randrange(1, 60))).decode(), any_.randbytes(20).hex()])
    if kind == 11:
        return any_.choice(any_.choice(CATEGORIES)) * any_.randrange(1, 90)
    if kind == 12:
        return "".join(any_.choice(" \n\r\t!/'.aAbB1_-éЖ中") for _ in range(any_.randrange(1, 60)))
    return any_.choice(FAMILIES)


def ill_formed():
    bytes_ = [any_.randrange(256), any_.choice(b"\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa4\xed\xa0\x80\xf4\x90\xc0\xff"), any_.choice(b"a \n'sA1")]
    return bytes(any_.choice(bytes_) for _ in range(any_.randrange(1, 10)))


def boundaries():
    """Code points on either side of where the category changes."""
    found, before = [], None
    for point in range(0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        kind = unicodedata.category(chr(point))
        if kind != before:
            found += [chr(point)] + ([chr(point - 1)] if point and not 0xD800 <= point - 1 < 0xE000 else [])
            before = kind
    return sorted(set(found + SPACES + NEAR))


def texts(transcripts, long):
    yield from ("".join(piece() for _ in range(any_.choice([1, 2, 3, 5, 10, 30, 80]))) for _ in range(10_000))
    for _ in range(4_000):
        yield b"".join(ill_formed() if any_.random() < 0.5 else piece().encode() for _ in range(any_.choice([1, 2, 3, 8, 20])))
    points = boundaries()
    yield from points
    yield from (any_.choice(points) + any_.choice(points) for _ in range(70_000))
    yield from (any_.choice(points) + any_.choice(" \naA'1!/s中\u0301") for _ in range(30_000))
    for unit in ["a", "A", "aA", "ab", " ", "\n", "-", "=", "中", "é", "0", "!?", "\u0301", "\u3000"]:
        yield from (unit * size for size in (15, 16, 30, 31, 40, 41, 63, 64, 65, 300, 1_000))
    yield from ("".join(any_.choice("的一是在不了有和人这中大为上个国") for _ in range(any_.randrange(5, 200))) for _ in range(1_000))
    yield from ("".join(any_.choice("abcde") for _ in range(any_.randrange(20, 400))) for _ in range(1_000))
    for path in sorted(pathlib.Path(transcripts).glob("*.json")) if transcripts else []:
        yield path.read_bytes()
        yield from strings(json.loads(path.read_bytes()))
    if long:
        low = [each for each in points if each < "\u3000"]
        yield from (a + b for a, b in itertools.product(low, low))


def strings(value):
    if isinstance(value, str):
        yield value.encode("utf-8", "surrogatepass")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from strings(each)


def encoding(folder, name):
    import tiktoken
    from tiktoken_ext import openai_public
    lines = (line.split() for line in (folder / f"{name}.tiktoken").read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    return tiktoken.Encoding(**getattr(openai_public, name)())


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--transcripts", help="recorded conversations, whole and each of their texts")
    options.add_argument("--long", action="store_true")
    given = options.parse_args()
    made = list(texts(given.transcripts, given.long))
    for name in ("cl100k_base", "o200k_base"):
        encode = encoding(given.folder, name).encode_ordinary
        with open(given.folder / f"{name}.reference", "wb") as out:
            for text in made:
                data = text if isinstance(text, bytes) else text.encode()
                ids = encode(data.decode("utf-8", "replace"))
                out.write(struct.pack("<I", len(data)) + data + struct.pack(f"<{len(ids) + 1}I", len(ids), *ids))
        print(f"{name}: {len(made)} texts")


main()
