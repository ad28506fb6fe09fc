# SPDX-License-Identifier: BSL-1.0
"""What scripts that try a program share: a check is a function that raises Failed."""

import argparse
import inspect
import os
import re
import subprocess
import tempfile
import time
import traceback

PATIENCE = 120  # seconds for one run; a sanitized build on a busy machine is slow


class Failed(Exception):
    pass


def effort():
    """How much of its work a check does, in percent of what it can: effort.hpp says the same of programs."""
    return float(os.environ.get("CONDENSE_EFFORT") or "3")


def arguments(parts=(), **others):
    """--program, made absolute, options with their defaults, and the part to be tried where there are several."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, type=os.path.abspath)
    for name, default in others.items():
        parser.add_argument(f"--{name}", default=default)
    if parts:
        parser.add_argument("part", choices=parts)
    return parser.parse_args()


def expect(holds, what, seen=""):
    if not holds:
        raise Failed(what + (f"\n--- seen:\n{str(seen)[-3000:]}" if seen != "" else ""))


def run(command, given=b"", status=0, environment=None, before=None, patience=PATIENCE):
    """What a program prints, and complains of. It has to end with that status, and all is UTF-8."""
    given = given if isinstance(given, bytes) else given.encode()
    done = subprocess.run([*map(os.fspath, command)], input=given, capture_output=True, timeout=patience, preexec_fn=before,
                          env={**os.environ, **(environment or {})}, check=False)
    output, errors = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    expect(done.returncode == status, f"status {done.returncode}, not {status}, of {command[1:]}", output[-1000:] + errors)
    return output, errors


def no_controls(text, beside="\n"):
    """The text, in which no control of C0, C1 or of the order of reading may be."""
    bad = re.search(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text.translate({ord(each): None for each in beside}))
    expect(bad is None, f"a control character reached the output: {bad and repr(bad.group())}", repr(text))
    return text


def names_options(help_text, *options):
    for option in options:
        expect(option in help_text, f"--help does not name {option}", help_text)


def in_folder(check, *given):
    """Calls check(*given, folder) with a folder that goes afterwards, and comes back to where it was."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="condense-") as folder:
        try:
            check(*given, folder)
        finally:
            os.chdir(here)


def checks_in(module, *parameters):
    """The functions of a module, by its globals, that take just these: its checks, so that none is left out."""
    return [each for each in module.values() if inspect.isfunction(each) and each.__module__ == module["__name__"]
            and list(inspect.signature(each).parameters) == list(parameters)]


def run_all(title, checks, call):
    """Has each check, a function or a name, called by `call(check)`, says how it went, and gives the exit status."""
    failures = 0
    for check in checks:
        name, began = getattr(check, "__name__", check), time.monotonic()
        try:
            call(check)
            print(f"ok    {name} ({time.monotonic() - began:.1f} s)")
        except Failed as problem:
            failures += 1
            print(f"FAIL  {name}: {problem}")
        except Exception:
            failures += 1
            print(f"FAIL  {name}: {traceback.format_exc()}")
    print(f"{title}: {len(checks)} checks, {failures} failed")
    return 1 if failures else 0
