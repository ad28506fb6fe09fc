#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the program `reduce_file` on recorded conversations, without using the library.

  check_reduction.py --program PATH/reduce_file [--windows 2000,8000] FILES_OR_FOLDERS...
  check_reduction.py --selftest            every rule must reject its planted violation
  check_reduction.py --inspect FILES...    own estimate, groups and floor, a line a file
"""

import sys

sys.dont_write_bytecode = True

import argparse
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from conversation import Conversation, Estimator, messages_of, parse_json
from edits import Finding
from estimate import FAMILIES
from rules import BAD_INPUT, OUTCOME_OF_EXIT, Reduction, Settings, check, check_again, floor

WINDOWS = "2000,4000,8000,16000,64000"


# ---------------------------------------------------------------- running the program

@dataclass
class Run:
    """What one call of the program left behind."""
    exit: int
    stdout: bytes
    stderr: bytes


class Program:
    """Calls `reduce_file`; a working folder a run keeps artifacts of one file and window together."""

    def __init__(self, path, family, mix, timeout):
        self.path, self.family, self.mix, self.timeout = Path(path).resolve(), family, mix, timeout

    def __call__(self, path, window, folder):
        command = [str(self.path), str(Path(path).resolve()), "--window", str(window),
                   "--family", self.family, "--report", "json"]
        command += ["--mix", self.mix] if self.mix else []
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=self.timeout)
        except subprocess.TimeoutExpired:
            return Run(-1, b"", f"no answer within {self.timeout} s".encode())
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


def check_file(run, path, window, settings):
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
        reduction = judge(first, window, document, settings, verdict.findings)
        if reduction is None:
            return verdict
        verdict.tokens = reduction.before.usage(), reduction.after.usage()
        verdict.messages = len(reduction.before), len(reduction.after)
        again = Path(folder) / "again.json"
        again.write_bytes(first.stdout)
        second = run(again, window, folder)
    findings = []
    repeated = judge(second, window, reduction.output, settings, findings)
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


def judge(run, window, document, settings, findings):
    """Reads and checks one run; None when it left nothing to look at."""
    if run.exit not in OUTCOME_OF_EXIT:
        message = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        findings.append(Finding("L8 fits", f"exit {run.exit} for a readable input {message}"))
        return None
    output = read_bytes(run.stdout, "the output", findings)
    report = read_bytes(run.stderr, "the report", findings)
    if output is None:
        return None
    reduction = Reduction(window, run.exit, document, output, report, settings)
    found = check(reduction)
    findings += found
    return None if any(f.text.startswith("the output is ") for f in found) else reduction


# ---------------------------------------------------------------- inspection

def inspect(path, family):
    """One line: what the checker itself reads in a file."""
    document = parse_json(Path(path).read_bytes().decode("utf-8"))
    estimator = Estimator(family)
    c = Conversation(document, estimator)
    unchanged = Reduction(0, 0, document, document, {}, Settings(family))
    calls = c.calls()
    opened = [f"{g[0]}..{g[-1]}" for g in (c.groups[o] for o in c.open_groups())]
    joined = [g for g in c.groups.values() if len(g) > 1]
    users = c.plain_users()
    return (f"{Path(path).name:42} messages {len(c):4} tokens {c.usage():7} overhead {c.overhead:4} "
            f"calls {len(calls):4} results {len(c.results()):4} orphans {len(c.orphans()):3} "
            f"dead {sum(c.is_dead(x) for x in calls):3} groups {len(c.groups):4} (joined {len(joined):4}, "
            f"largest {max(map(len, c.groups.values()), default=0):3}) "
            f"users {len(users):3} latest {users[-1] if users else '-':>4} "
            f"open {','.join(opened) or '-':12} floor {floor(unchanged):6}")


# ---------------------------------------------------------------- command line

def expand(inputs):
    """Files named, and the *.json files of folders named; the second list holds what is missing."""
    files, missing = [], []
    for name in map(Path, inputs):
        if name.is_dir():
            files += sorted(name.rglob("*.json"))
        else:
            (files if name.is_file() else missing).append(name)
    return files, missing


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--program", help="the reduce_file to check")
    mode.add_argument("--selftest", action="store_true", help="check the checker")
    mode.add_argument("--inspect", action="store_true", help="print what the checker reads in each file")
    parser.add_argument("inputs", nargs="*", help="files, or folders searched for *.json")
    parser.add_argument("--windows", default=WINDOWS, help=f"token windows, by comma (default {WINDOWS})")
    parser.add_argument("--family", default="other", choices=FAMILIES, help="estimator family")
    parser.add_argument("--mix", help="handed to the program as --mix")
    parser.add_argument("--quiet-below", type=int, default=60, metavar="PERCENT",
                        help="under this share of the window nothing may change; 0 lifts the rule (default 60)")
    parser.add_argument("--ignore-key-order", action="store_true", help="members of objects may change places")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for one run (default 120)")
    parser.add_argument("--allow-empty", action="store_true", help="no input file at all is no failure")
    return parser.parse_args()


def main():
    options = arguments()
    if options.selftest:
        from selftest import selftest
        return selftest()
    files, missing = expand(options.inputs)
    for name in missing:
        print(f"NO SUCH INPUT: {name}", file=sys.stderr)
    if not files:
        print("NOTHING CHECKED: no input file exists", file=sys.stderr)
        return 0 if options.allow_empty else 1
    if options.inspect:
        failed = len(missing)
        for path in files:
            try:
                print(inspect(path, options.family))
            except (ValueError, RecursionError) as error:
                failed += 1
                print(f"{path.name:42} unreadable: {error}")
        return 1 if failed else 0
    if not Path(options.program).is_file():
        print(f"NO SUCH PROGRAM: {options.program}", file=sys.stderr)
        return 1
    windows = [int(w) for w in options.windows.split(",")]
    settings = Settings(options.family, options.quiet_below, options.ignore_key_order)
    program = Program(options.program, options.family, options.mix, options.timeout)
    passed = failed = 0
    for path in files:
        for window in windows:
            verdict = check_file(program, path, window, settings)
            print(verdict, flush=True)
            failed += bool(verdict.findings)
            passed += not verdict.findings
    print(f"{passed} passed, {failed + len(missing)} failed")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
