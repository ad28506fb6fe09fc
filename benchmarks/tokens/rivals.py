#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Claim: counting is faster than every other exact tokenizer that can be had, whatever the content, and as exact.

rivals.py PROGRAM FOLDER [--texts FOLDER] [--rounds N] [--limit SECONDS] [--engines NAME,...] [--alone] ...

PROGRAM is bench_tokens_counting, built with -O2. FOLDER gets the vocabularies, the rivals and the texts. Engines are run
on one CPU, one process for each round, in another order each round; figures are the least of all rounds, in time of the
process, so that others on the machine matter less. Prints Markdown. One that can not be installed is a row all the same.
Exits with 1 only where condense and tiktoken count otherwise."""

import argparse
import base64
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import corpus
from commands import Failed, run

HERE = pathlib.Path(__file__).resolve().parent
# Name: what is installed, and by what; then what engines.py calls it.
PYPI = {
    "tiktoken": (["tiktoken==0.14.0", "numpy"], "ids"),
    "gigatoken": (["gigatoken==0.10.0"], "ids"),
    "quicktok": (["quicktok-v1==0.4.0"], "count"),
    "toktok": (["toktok-rs==0.3.0"], "count"),
    "bpe_openai": (["bpe-openai==0.1.4"], "count"),
    "rs_bpe": (["rs-bpe==0.1.0"], "count"),
    "tokensim": (["tokensim"], "count"),
}
ENCODINGS = ("cl100k_base", "o200k_base")
CRATE = "bpe-openai@0.3.2"
OURS = "condense, count"


def install(folder, wanted):
    """{engine: (command of a round, what it gives)} or {engine: Failed}."""
    python = folder / "python/bin/python"
    try:
        run([python, "-m", "pip", "--version"], 60)
    except Failed:
        run([sys.executable, "-m", "venv", "--clear", folder / "python"], 120)
    found = {}
    for name, (packages, gives) in PYPI.items():
        title = f"{packages[0].replace('==', ' ')}, {gives}"
        if wanted and name not in wanted:
            continue
        try:
            run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "30", *packages], 300)
            found[title] = [python, HERE / "engines.py", name, folder / "vocabularies"]
        except Failed as failed:
            found[title] = failed
    if not wanted or "crate" in wanted:
        title = f"{CRATE.replace('@', ' ')} (crate), count"
        try:
            found[title] = [build_crate(folder / "crate")]
        except Failed as failed:
            found[title] = failed
    return found


def build_crate(folder):
    program = folder / "target/release/rival"
    if not (folder / "Cargo.toml").exists():
        run(["cargo", "init", "--quiet", "--vcs", "none", "--name", "rival", folder], 60)
    run(["cargo", "add", "--quiet", CRATE, "libc"], 120, cwd=folder)
    shutil.copy(HERE / "bpe_openai.rs", folder / "src/main.rs")
    run(["cargo", "build", "--quiet", "--release"], 900, cwd=folder)
    return program


def files_of(given, folder):
    if given.texts:
        return sorted(each for each in given.texts.iterdir() if each.is_file() and each.stat().st_size > 0)
    made = folder / f"texts-{given.megabytes}"
    if not (made / "mixed").exists():
        made.mkdir(exist_ok=True)
        lines = (folder / "vocabularies/o200k_base.tiktoken").read_bytes().splitlines()
        tokens = [base64.b64decode(line.split()[0]).decode(errors="replace") for line in lines]
        for kind, text in reversed(corpus.texts(tokens, given.megabytes * 1_000_000).items()):
            (made / kind).write_text(text, newline="")
    return [made / kind for kind in ("mixed", *corpus.MIXED)]


class Figures:
    """Of one engine, encoding and file."""

    def __init__(self):
        self.tokens, self.cold, self.warm, self.failed = None, 1e9, 1e9, None

    def round(self, command, limit):
        if self.failed:
            return
        try:
            tokens, cold, warm = run(command, limit).split()
            self.tokens, self.cold, self.warm = int(tokens), min(self.cold, float(cold)), min(self.warm, float(warm))
        except Failed as failed:
            self.failed = failed

    def cell(self, size, ours, theirs):
        if self.failed:
            return "too slow" if "more than" in str(self.failed) else str(self.failed)
        if self is ours:
            return f"{rate(size, self.cold)} / {rate(size, self.warm)}"
        if ours.failed:
            return f"{rate(size, self.cold)} / {rate(size, self.warm)}"
        if self.tokens != ours.tokens:
            return f"counts {self.tokens:,}, not {ours.tokens:,}"
        times = (self.cold / ours.cold, self.warm / ours.warm)
        behind = " SLOWER" if theirs and min(times) < 0.95 else ""
        return f"{rate(size, self.cold)} / {rate(size, self.warm)} ({times[0]:.1f}, {times[1]:.1f}{behind})"


def rate(size, seconds):
    found = size / 1e6 / max(seconds, 1e-6)
    return f"{found:.1f}" if found < 20 else f"{found:,.0f}"


def compare(given, encoding, engines, files):
    """{(engine, file): Figures}"""
    found = {(name, file): Figures() for name in engines for file in files}
    names = list(engines)
    for turn in range(given.rounds):
        for at, file in enumerate(files):
            shift = (turn + at) % len(names)
            for name in names[shift:] + names[:shift]:
                found[name, file].round(engines[name](encoding, file), given.limit)
                print(f"\r{encoding} round {turn + 1}: {file.name}, {name}\033[K", end="", file=sys.stderr, flush=True)
    print("\r\033[K", end="", file=sys.stderr)
    return found


def table(encoding, engines, failed, files, found):
    print(f"\n| {encoding} | {' | '.join(f'{file.name} {file.stat().st_size / 1e6:.1f} MB' for file in files)} |")
    print("|---|" + "---:|" * len(files))
    for name in engines:
        cells = (found[name, file].cell(file.stat().st_size, found[OURS, file], not name.startswith("condense")) for file in files)
        print(f"| {name} | {' | '.join(cells)} |")
    for name, why in failed.items():
        print(f"| {name} | not to be had: {why} |{' |' * (len(files) - 1)}")


def estimates(given, files, exact):
    """The estimator beside exact counts, of the vocabulary it is fitted to."""
    said = []
    for file in files:
        one = Figures()
        for _ in range(given.rounds):
            one.round([given.program, "--plain", "estimate", vocabulary(given, "o200k_base"), file], given.limit)
        wrong = f", {100 * one.tokens / exact[OURS, file].tokens - 100:+.1f} %" if one.tokens and exact[OURS, file].tokens else ""
        said.append(f"{file.stat().st_size / 1e9 / max(one.warm, 1e-9):.1f} GB/s{wrong}")
    print(f"| script_aware<gpt> | {' | '.join(said)} |")


def vocabulary(given, encoding):
    return given.folder / f"vocabularies/{encoding}.tiktoken"


def fact(given, encoding):
    build, image, run_of_a, memory = run([given.program, "--facts", vocabulary(given, encoding)], given.limit).split()
    return (f"{encoding}: built in {float(build):.0f} ms, loaded from an image in {float(image):.1f} ms, {int(memory) / (1 << 20):.1f} MiB; "
            f"100,000 times `a` in {float(run_of_a):.2f} ms.")


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", type=pathlib.Path)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--texts", type=pathlib.Path, help="files to count, UTF-8, instead of generated texts")
    options.add_argument("--megabytes", type=int, default=4, help="of each generated text")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--limit", type=int, default=60, help="seconds for one engine and file and round")
    options.add_argument("--cpu", type=int, help="by default the last")
    options.add_argument("--alone", action="store_true", help="no rivals")
    options.add_argument("--engines", type=lambda names: names.split(","), help=f"of {','.join(PYPI)},crate; by default all")
    given = options.parse_args()
    given.program, given.folder = given.program.resolve(), given.folder.resolve()
    return given


def main():
    given = arguments()
    given.folder.mkdir(parents=True, exist_ok=True)
    run(["sh", HERE.parent.parent / "tests/estimate/bpe/install.sh", "--vocabularies", given.folder / "vocabularies"], 300)
    installed = {} if given.alone else install(given.folder, given.engines)
    failed = {name: why for name, why in installed.items() if isinstance(why, Failed)}
    files = files_of(given, given.folder)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if given.cpu is None else given.cpu})
    facts = [fact(given, encoding) for encoding in ENCODINGS]
    engines = {OURS: lambda encoding, file: [given.program, "--plain", "count", vocabulary(given, encoding), file],
               "condense, ids": lambda encoding, file: [given.program, "--plain", "encode", vocabulary(given, encoding), file]}
    for name, command in installed.items():
        if name not in failed:
            engines[name] = lambda encoding, file, command=command: [*command, encoding, file]
    print("MB/s on a first pass / on text seen before (in brackets: how many times as fast condense counts, first and again).\n"
          f"The least of {given.rounds} rounds, on one CPU.")
    wrong = False
    for encoding in ENCODINGS:
        found = compare(given, encoding, engines, files)
        table(encoding, engines, failed, files, found)
        if encoding == "o200k_base":
            estimates(given, files, found)
        for (name, file), figures in found.items():
            wrong |= name.startswith("tiktoken") and figures.tokens not in (None, found[OURS, file].tokens)
    print()
    print("\n".join(facts))
    if wrong:
        raise SystemExit("condense: tiktoken counts otherwise")


try:
    main()
except Failed as failed:
    raise SystemExit(f"condense: {failed}") from None
