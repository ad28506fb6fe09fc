# SPDX-License-Identifier: BSL-1.0
"""Texts by kind of content, always the same for the same size, for rivals.py. Words are those of a vocabulary in its
order, which is about that of their frequency, and a part are glued of two, so that they are in no vocabulary. They
show how kinds differ; for what a text of yours takes, give your files with --texts."""

import base64
import json
import random
import re

# Of 100 parts of the mixed text.
MIXED = {"prose": 25, "code": 35, "json": 15, "terminal": 10, "hex": 3, "base64": 3, "russian": 5, "chinese": 4}


class Words:
    """Words of a pattern, the first of the vocabulary most often; a part of them glued, and one of a hundred new."""

    def __init__(self, tokens, pattern, glued, any_):
        self.base = [found[1] for found in map(re.compile(pattern).fullmatch, tokens) if found][:15_000]
        self.any = any_
        self.all = [self.glue(word) if any_.random() < glued else word for word in self.base]

    def glue(self, word):
        return word + self.base[self.any.randrange(len(self.base))]

    def __call__(self):
        word = self.all[int(len(self.all) ** self.any.random()) - 1]
        return self.glue(word) if self.any.random() < 0.01 else word


def sentences(words, any_, pause, stop, gap, capital=True):
    while True:
        said = [words() for _ in range(any_.randrange(4, 24))]
        at = any_.randrange(len(said))
        said[at] += pause
        if any_.random() < 0.2:
            said[at - 1] = str(any_.randrange(10 ** any_.randrange(1, 5)))
        text = gap.join(said)
        yield (text[0].upper() + text[1:] if capital else text) + any_.choice(stop)


def code(words, any_):
    def name():
        if known and any_.random() < 0.97:
            return known[int(len(known) ** any_.random()) - 1]
        parts = [words() for _ in range(any_.choice([1, 2, 2, 3]))]
        return any_.choice(["_".join(parts), parts[0] + "".join(map(str.capitalize, parts[1:])), parts[0] + "_"])

    known = []
    known = ["i", "n", "it", *(name() for _ in range(4000))]
    lines = [
        lambda: f"auto const {name()} = {name()}.{name()}({name()}, {any_.randrange(100)});",
        lambda: f"if ({name()} {any_.choice(['==', '!=', '<', '>='])} {name()}->{name()}()) return {name()};",
        lambda: f"for (std::size_t {name()} = 0; {name()} < {name()}.size(); ++{name()}) {{",
        lambda: "}",
        lambda: f"// {' '.join(words() for _ in range(any_.randrange(3, 14)))}",
        lambda: f"std::vector<{name()}> {name()}{{{name()}, 0x{any_.randrange(1 << 16):04x}}};",
        lambda: f"template <class {name().capitalize()}>\nvoid {name()}({name()} const& {name()}, std::string_view {name()}) {{",
        lambda: f"throw std::runtime_error(\"{words()} {words()}: \" + {name()});",
        lambda: "",
    ]
    while True:
        yield "    " * any_.randrange(4) + any_.choice(lines)() + "\n"


def logs(words, any_):
    while True:
        yield json.dumps({"ts": f"2026-03-{any_.randrange(1, 29):02}T{any_.randrange(24):02}:{any_.randrange(60):02}:{any_.random() * 60:06.3f}Z",
                          "level": any_.choice(["info", "info", "debug", "warn", "error"]), "service": any_.choice(["gateway", "auth", "billing"]),
                          "request": any_.randbytes(8).hex(), "millis": any_.randrange(10_000), "path": f"/{words()}/{words()}/{any_.randrange(10_000)}",
                          "message": " ".join(words() for _ in range(any_.randrange(3, 9)))}) + "\n"


def terminal(words, any_):
    while True:
        yield any_.choice([
            lambda: f"-rw-r--r--  1 root root {any_.randrange(10**7):>9} Mar {any_.randrange(1, 29):>2} 10:{any_.randrange(60):02} {words()}_{words()}.cpp\n",
            lambda: f"\x1b[32m[{any_.randrange(100):>3}%]\x1b[0m Building CXX object src/CMakeFiles/{words()}.dir/{words()}.cpp.o\n",
            lambda: f"/usr/include/{words()}/{words()}.hpp:{any_.randrange(900)}:{any_.randrange(80)}: \x1b[1;31merror:\x1b[0m '{words()}' was not declared\n",
            lambda: f"{'=' * any_.randrange(10, 70)} {any_.randrange(900)} passed in {any_.random() * 90:.2f}s {'=' * any_.randrange(10, 70)}\n",
            lambda: f"+{' ' * any_.randrange(1, 16)}{words()}({words()});\n-{' ' * any_.randrange(1, 16)}{words()}({words()}, {words()});\n",
            lambda: "$ git log --oneline | head\n",
            lambda: f"{any_.randbytes(4).hex()} {words().capitalize()} {words()} {words()}\n",
        ])()


def until(lines, size):
    made, total = [], 0
    for line in lines:
        made.append(line)
        total += len(line.encode())
        if total >= size:
            return "".join(made)


def texts(tokens, size):
    """{kind: text} of about `size` bytes each; `tokens` are those of o200k_base, by rank, which has words of many languages."""
    def by(kind, pattern, glued):
        any_ = random.Random(kind)
        return Words(tokens, pattern, glued, any_), any_

    english, any_ = by("prose", r" ([a-z]{2,})", 0.06)
    prose = sentences(english, any_, ",", [". ", ". ", "? ", ".\n\n", ": it's "], " ")
    russian, any_ru = by("russian", r" ?([а-яё]+)", 0.4)
    chinese, any_zh = by("chinese", r"([\u4e00-\u9fa5]{1,2})", 0.3)
    made = {
        "prose": until(prose, size),
        "code": until(code(*by("code", r" ?([a-z]{2,})", 0.1)), size),
        "json": until(logs(*by("json", r" ([a-z]{2,})", 0.06)), size),
        "terminal": until(terminal(*by("terminal", r" ([a-z]{2,})", 0.06)), size),
        "hex": until((random.Random(each).randbytes(32).hex() + "\n" for each in range(size)), size),
        "base64": until((base64.b64encode(random.Random(each).randbytes(57)).decode() + "\n" for each in range(size)), size),
        "russian": until(sentences(russian, any_ru, ",", [". ", ".\n", "! ", " — "], " "), size),
        "chinese": until(sentences(chinese, any_zh, "，", ["。", "。\n", "！", "；"], "", capital=False), size),
    }
    any_ = random.Random("mixed")
    parts = []
    for kind, share in MIXED.items():
        text = made[kind][:int(len(made[kind]) * share * 1.3 / 100)]
        parts += [text[at:at + 4000] for at in range(0, len(text), 4000)]
    any_.shuffle(parts)
    return {"mixed": "".join(parts), **made}
