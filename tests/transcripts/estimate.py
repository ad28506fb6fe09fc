# SPDX-License-Identifier: BSL-1.0
"""The default estimator once more: a text's features as masks over all of it, one bit a byte, in integers of any length.

Only figures are read from the library's headers: the names and weights of features, the blocks of Unicode.
"""

import functools
import pathlib
import re

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include/condense/estimate"
FAMILIES = ("claude", "claude_4_7", "gpt", "kimi", "gemini", "other")
UNITS = 256  # costs are integers in 1/256 token


def names(header, enum):
    body = re.search(r"enum class " + enum + r" [^{]*\{(.*?)\};", (HEADERS / header).read_text(), re.S).group(1)
    return re.sub(r"//[^\n]*", "", body).replace(",", " ").split()


def weights(family):
    body = re.search(r"weights_of_" + family + r"\{(.*?)\}\};", (HEADERS / "script_weights.hpp").read_text(), re.S).group(1)
    return [[int(each) for each in re.findall(r"\d+", row.split("{", 1)[1])] for row in re.split(r"\},", body)]


FEATURES = names("script_scan.hpp", "text_feature")
SCRIPTS = names("script_class.hpp", "script_class")
RANGES = [(int(first, 16), SCRIPTS.index(script)) for first, script in
          re.findall(r"\{0x([0-9A-F]+), script_class::(\w+)\}", (HEADERS / "script_class.hpp").read_text())]
LATIN = range(SCRIPTS.index("latin_one"), SCRIPTS.index("latin_marked") + 1)
ONE_RUN = {"cyrillic_more": "cyrillic", "arabic_more": "arabic", "kana": "hiragana", "katakana": "hiragana",
           "full_han": "han", "rare_han": "han"}
HEADS = [SCRIPTS.index(ONE_RUN.get(each, each)) for each in SCRIPTS]
ENCODED = re.compile(rb"[A-Za-z0-9+/_-]{41,}")
UPPER, LOWER, DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz", b"0123456789"


@functools.lru_cache(None)
def script_of(point):
    """By the first two bytes of its UTF-8, so by 16 or by 64 code points."""
    if point >= 0x10000:
        return SCRIPTS.index("emoji" if 0x1F000 <= point < 0x20000 else "rare_han" if 0x20000 <= point < 0x40000 else "rare_four")
    point &= ~0xF if point < 0x800 else ~0x3F
    return max((each for each in RANGES if each[0] <= point), key=lambda each: each[0])[1]


def mask(data, wanted):
    table = bytes(ord("1") if each in wanted else ord("0") for each in range(256))
    return int(data[::-1].translate(table) or b"0", 2)


def smeared(bits):
    """Bits at most 31 behind one that is set."""
    for by in (1, 2, 4, 8, 16):
        bits |= bits << by
    return bits


def long_runs(data):
    """What comes after 40 letters, digits and joiners; of two runs in 64 bytes the one that came in from before."""
    out = 0
    entered = set()
    for run in ENCODED.finditer(data):
        bits = ((1 << run.end()) - 1) & ~((1 << (run.start() + 40)) - 1)
        first = run.start() // 64
        if first in entered:
            bits &= ~((1 << (64 * (first + 1))) - 1)
        last = run.end() // 64
        if last > first:
            entered.add(last)
        out |= bits
    return out


def encoded(data, upper, lower, digits):
    found = long_runs(data)
    if found == 0:
        return 0, 0
    numbers = smeared(digits)
    beyond = smeared(mask(data, UPPER + LOWER + DIGITS + b"+-/_") & ~mask(data, DIGITS + b"abcdefABCDEF"))
    eight = lower
    for by in (1, 2, 4):
        eight &= eight << by
    return (found & numbers & beyond & smeared(upper) & ~smeared(eight), found & numbers & smeared(upper | lower) & ~beyond)


def beyond_ascii(text, data):
    """Characters and runs of each script, and which bytes are of Latin letters."""
    chars, runs = [0] * len(SCRIPTS), [0] * len(SCRIPTS)
    latin, at, end, head = 0, 0, -1, None
    for letter in text:
        size = len(letter.encode())
        if size > 1:
            which = script_of(ord(letter))
            chars[which] += 1
            runs[which] += end != at or HEADS[which] != head
            head, end = HEADS[which], at + size
            if which in LATIN:
                latin |= ((1 << size) - 1) << at
        at += size
    return chars, runs, latin


@functools.lru_cache(None)
def counts(text):
    data = text.encode()
    valid = (1 << len(data)) - 1
    upper, lower, digits = mask(data, UPPER), mask(data, LOWER), mask(data, DIGITS)
    spaces, lines, tabs = mask(data, b" "), mask(data, b"\r\n"), mask(data, b"\t")
    controls = mask(data, bytes(set(range(32)) - set(b"\r\n\t")) + b"\x7f")
    foreign = mask(data, range(128, 256))
    vowels = mask(data, b"aiou")
    repeats = mask(bytes(b"\1"[0] if each == before else 0 for each, before in zip(data, b"\0" + data)), b"\1")
    chars, runs, latin = beyond_ascii(text, data) if foreign else ([0] * len(SCRIPTS), [0] * len(SCRIPTS), 0)
    letters = upper | lower | latin
    signs = valid & ~(upper | lower | digits | foreign | spaces | lines | tabs | controls)
    base64, hexadecimal = encoded(data, upper, lower, digits)
    keep = valid & ~(base64 | hexadecimal)

    def along(bits, count):
        """The last of so many in a row."""
        out = bits
        for by in range(1, count):
            out &= bits << by
        return out

    begins = letters & ~(letters << 1) & keep
    doubled, before = spaces & (spaces << 1), spaces << 2
    found = {
        "word": begins, "letter3": along(letters, 3) & keep, "letter5": along(letters, 5) & keep, "letter9": along(letters, 9) & keep,
        "title": begins & upper, "hump": upper & (lower << 1) & keep, "shout": upper & (upper << 1) & keep,
        "glued": begins & (signs << 1), "open_end": (vowels << 1) & ~letters & keep, "twin": vowels & repeats & keep,
        "rare": mask(data, b"jkqz") & keep, "digit": digits & keep, "digit_run": digits & ~(digits << 1) & keep,
        "digit_spaced": digits & (spaces << 1) & keep, "digit_letter": letters & (digits << 1) & keep,
        "sign": signs & ~repeats & keep, "sign_run": signs & ~(signs << 1) & keep, "sign_repeat": signs & repeats & keep,
        "sign_spaced": signs & (spaces << 1), "line_end": lines, "line_run": lines & ~(lines << 1),
        "space_run": doubled & ~before, "space_more": doubled & before, "tab": tabs & ~(tabs << 1), "tab_more": tabs & (tabs << 1),
        "control": controls, "base64": base64, "hex": hexadecimal}
    return [found[each].bit_count() for each in FEATURES], chars, runs


@functools.lru_cache(None)
def figures(family):
    return weights({"kimi": "gpt"}.get(family, family))


def estimate(text, family):
    """In 1/256 of a token; one at least where there is text."""
    text = re.sub("[\ud800-\udfff]", "\ufffd", text)
    total = sum(count * weight for row, of in zip(counts(text), figures(family)) for count, weight in zip(row, of))
    return max(UNITS, min(-(-total // 16), UNITS * len(text.encode()))) if text else 0
