#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the program `reduce_file` on recorded conversations, without using the library.

  check_reduction.py --program PATH/reduce_file [--windows 2000,8000] FILES_OR_FOLDERS...
  check_reduction.py --selftest            every rule must reject its planted violation
"""

import sys

sys.dont_write_bytecode = True

import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import command
from conversation import messages_of, parse_json
from edits import Finding
from estimate import FAMILIES
from rules import BAD_INPUT, OUTCOME_OF_EXIT, Reduction, check, check_again

PATIENCE = 120


# ---------------------------------------------------------------- running the program
@dataclass
class Run:
    """What one call of the program left behind."""
    exit: int
    stdout: bytes
    stderr: bytes


class Program:
    """Calls `reduce_file`; a working folder a run keeps artifacts of one file and window together."""

    def __init__(self, path, family, mix):
        self.path, self.family, self.mix = Path(path).resolve(), family, mix

    def __call__(self, path, window, folder):
        command = [str(self.path), str(Path(path).resolve()), "--window", str(window),
                   "--family", self.family, "--report", "json"]
        command += ["--mix", self.mix] if self.mix else []
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Run(-1, b"", f"no answer within {PATIENCE} s".encode())
        return Run(done.returncode, done.stdout, done.stderr)


def read_bytes(data, what, findings):
    """Strict UTF-8 and JSON, or None and a finding."""
    try:
        return parse_json(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        findings.append(Finding("T1 utf8", f"{what}: {error}"))
    except (ValueError, RecursionError) as error:
        findings.append(Finding("container", f"{what} is not JSON: {error}"))
    return None


# ---------------------------------------------------------------- one file, one window
@dataclass
class Verdict:
    """The line printed for one file and window."""
    name: str
    window: int
    exit: int = None
    tokens: tuple = None
    messages: tuple = None
    findings: list = field(default_factory=list)

    def __str__(self):
        sizes = "-"
        if self.tokens:
            sizes = "tokens {} -> {}, messages {} -> {}".format(*self.tokens, *self.messages)
        return f"{self.name} window {self.window}: exit {self.exit}, {sizes}: {'FAILED' if self.findings else 'passed'}"


def check_file(run, path, window, family="other"):
    """Runs the program on a file, then on its own output, and checks both."""
    verdict = Verdict(Path(path).name, window)
    try:
        document = parse_json(Path(path).read_bytes().decode("utf-8"))
        messages_of(document)
    except (ValueError, RecursionError):
        document = None
    with tempfile.TemporaryDirectory() as folder:
        first = run(path, window, folder)
        verdict.exit = first.exit
        if document is None:
            verdict.findings += refused(first)
            return verdict
        reduction = judge(first, window, document, family, verdict.findings)
        if reduction is None:
            return verdict
        verdict.tokens = reduction.before.usage(), reduction.after.usage()
        verdict.messages = len(reduction.before), len(reduction.after)
        again = Path(folder) / "again.json"
        again.write_bytes(first.stdout)
        second = run(again, window, folder)
    findings = []
    repeated = judge(second, window, reduction.output, family, findings)
    verdict.findings += [Finding("L5 again", f"in the second run, {f}") for f in findings]
    if repeated is not None:
        differences = list(check_again(reduction, repeated))
        if not differences and first.stdout != second.stdout:
            differences = [Finding("L5 again", "the second run writes the same messages in other bytes")]
        verdict.findings += differences
    return verdict


def refused(run):
    """What is not a conversation is refused, and nothing is written."""
    if run.exit != BAD_INPUT:
        yield Finding("L8 fits", f"exit {run.exit} for an input that is no conversation")
    if run.stdout:
        yield Finding("L8 fits", "something is written for an input that is no conversation")


def judge(run, window, document, family, findings):
    """Reads and checks one run; None when it left nothing to look at."""
    if run.exit not in OUTCOME_OF_EXIT:
        message = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        findings.append(Finding("L8 fits", f"exit {run.exit} for a readable input {message}"))
        return None
    output = read_bytes(run.stdout, "the output", findings)
    report = read_bytes(run.stderr, "the report", findings)
    if output is None:
        return None
    reduction = Reduction(window, run.exit, document, output, report, family)
    found = check(reduction)
    findings += found
    return None if any(f.text.startswith("the output is ") for f in found) else reduction


def check_all(options, path, counts):
    family = options.family or FAMILIES[-1]
    program = Program(options.program, family, options.mix)
    for window in options.windows:
        verdict = check_file(program, path, window, family)
        print(verdict, flush=True)
        counts["runs"] += 1
        yield from (f"window {window}: {finding}" for finding in verdict.findings)


def selftest():
    from selftest import selftest as run
    return run()


if __name__ == "__main__":
    sys.exit(command.run(__doc__, check_all, selftest, "2000,4000,8000,16000,64000", ["runs"],
                         family="estimator family", mix="handed to the program as --mix"))
