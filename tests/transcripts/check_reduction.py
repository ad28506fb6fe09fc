#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the program `reduce_file` on recorded conversations, without using the library.

  check_reduction.py --program PATH/reduce_file [--windows 2000,8000] FILES_OR_FOLDERS...
  check_reduction.py --selftest            every rule must reject its planted violation
"""

import sys

sys.dont_write_bytecode = True

import argparse
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from conversation import files_of, messages_of, parse_json
from edits import Finding
from estimate import FAMILIES
from rules import BAD_INPUT, OUTCOME_OF_EXIT, Reduction, check, check_again

WINDOWS, PATIENCE = "2000,4000,8000,16000,64000", 120


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
        lines = [f"{self.name} window {self.window}: exit {self.exit}, {sizes}: "
                 f"{'FAILED' if self.findings else 'passed'}"]
        return "\n".join(lines + [f"    {finding}" for finding in self.findings])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--program", help="the reduce_file to check")
    mode.add_argument("--selftest", action="store_true", help="check the checker")
    parser.add_argument("inputs", nargs="*", help="files, or folders searched for *.json")
    parser.add_argument("--windows", default=WINDOWS, help=f"token windows, by comma (default {WINDOWS})")
    parser.add_argument("--family", default="other", choices=FAMILIES, help="estimator family")
    parser.add_argument("--mix", help="handed to the program as --mix")
    options = parser.parse_args()
    if options.selftest:
        from selftest import selftest
        return selftest()
    program = Program(options.program, options.family, options.mix)
    passed = failed = 0
    for path in files_of(options.inputs):
        for window in map(int, options.windows.split(",")):
            verdict = check_file(program, path, window, options.family)
            print(verdict, flush=True)
            failed += bool(verdict.findings)
            passed += not verdict.findings
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
