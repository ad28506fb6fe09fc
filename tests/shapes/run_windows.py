#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Reduces every conversation of data/ at 40 windows and checks each output by the rules of its shape.

  run_windows.py --program PATH/reduce_file [--sample N] [--shape NAME]... [--keep FOLDER]

Windows grow by a constant factor from 400 tokens to more than the whole conversation. An output that does not fit
(exit status 3) is judged as well; an input that the program refuses is a finding. Exit 1 at any finding.
"""

import sys

sys.dont_write_bytecode = True

import argparse
import os
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from check_shape import check
from shapes import SHAPES

DATA = Path(__file__).resolve().parent / "data"
FIRST_WINDOW, WINDOWS = 400, 40
SHOWN = 5  # findings of each shape and rule


def windows(content, count=WINDOWS):
    """Of the bytes of a file. The last is far above what it can count as: a token is more than two bytes of any of them,
    an image 1,600 tokens, and a mix may begin at 65 % of the window."""
    last = (len(content) / 2 + 1_600 * content.count(b"iVBORw0KGgo")) / 0.6
    factor = (last / FIRST_WINDOW) ** (1 / (count - 1))
    return [round(FIRST_WINDOW * factor ** step) for step in range(count)]


@dataclass
class Verdict:
    shape: str
    name: str
    windows: int = 0
    changed: int = 0
    over: int = 0
    findings: list = field(default_factory=list)  # (window, rule, text)


def judge(task):
    """All windows of one file."""
    options, shape, path = task
    # Each file begins at another window, so that a sample meets them all.
    sizes = windows(path.read_bytes())[int(path.stem) % options.sample::options.sample]
    more = ["--mix", options.mix] if options.mix else []
    verdict = Verdict(shape, path.stem)
    original = path.read_bytes().decode()
    with tempfile.TemporaryDirectory() as folder:
        for window in sizes:
            output = Path(options.keep or folder) / f"{shape}-{path.stem}-{window}.json"
            verdict.windows += 1
            command = [options.program, str(path), "--request", "--window", str(window), "--output", str(output), *more]
            try:
                done = subprocess.run(command, capture_output=True, timeout=120)
            except subprocess.TimeoutExpired:
                verdict.findings.append((window, "not read", "no answer within 120 s"))
                continue
            if done.returncode not in (0, 3) or not output.exists():
                said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or [""]
                verdict.findings.append((window, "not read", f"exit {done.returncode}: {said[0][:160]}"))
                continue
            verdict.over += done.returncode == 3
            try:
                reduced = output.read_bytes().decode()
            except UnicodeDecodeError as error:
                verdict.findings.append((window, "json", str(error)))
                continue
            verdict.changed += reduced != original
            found = check(shape, original, reduced, options.mix == "shorten")
            verdict.findings += [(window, each.rule, each.text) for each in found]
    return verdict


def table(verdicts):
    print(f"{'shape':10} {'files':>5} {'windows':>8} {'changed':>8} {'over':>6} {'findings':>9}")
    for shape in SHAPES:
        mine = [each for each in verdicts if each.shape == shape]
        if mine:
            print(f"{shape:10} {len(mine):5} {sum(v.windows for v in mine):8} {sum(v.changed for v in mine):8} "
                  f"{sum(v.over for v in mine):6} {sum(len(v.findings) for v in mine):9}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="the reduce_file to check")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every Nth window of each file")
    parser.add_argument("--effort", action="store_true",
                        help="every fourth window where CONDENSE_EFFORT is below 50 or not given, else all")
    parser.add_argument("--shape", action="append", choices=sorted(SHAPES), help="only this shape; may be repeated")
    parser.add_argument("--mix", help="handed to the program as --mix; of `shorten`, which "
                        "removes old reasoning, that is no finding")
    parser.add_argument("--keep", help="a folder for the outputs")
    return parser.parse_args()


def main():
    options = arguments()
    if options.effort and float(os.environ.get("CONDENSE_EFFORT", "3")) < 50:
        options.sample = 4
    if not Path(options.program).is_file():
        print(f"NO SUCH PROGRAM: {options.program}", file=sys.stderr)
        return 1
    if options.keep:
        Path(options.keep).mkdir(parents=True, exist_ok=True)
    options.program = str(Path(options.program).resolve())
    tasks = [(options, shape, path) for shape in options.shape or SHAPES
             for path in sorted((DATA / shape).glob("*.json"), key=lambda each: int(each.stem))]
    if not tasks:
        print(f"NOTHING CHECKED: no conversation in {DATA}", file=sys.stderr)
        return 1
    with ProcessPoolExecutor(2) as pool:
        verdicts = list(pool.map(judge, tasks))
    shown = Counter()
    for verdict in verdicts:
        for window, rule, text in verdict.findings:
            shown[verdict.shape, rule] += 1
            if shown[verdict.shape, rule] <= SHOWN:
                print(f"{verdict.shape}/{verdict.name}.json window {window}: {rule}: {text}")
    for (shape, rule), count in shown.items():
        if count > SHOWN:
            print(f"{shape}: {count - SHOWN} more findings of {rule}")
    table(verdicts)
    return 1 if any(verdict.findings for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
