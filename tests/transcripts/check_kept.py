#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks what `reduce_file --store --journal` keeps of recorded conversations, without using the library.

  check_kept.py --program PATH/reduce_file [--windows 4000,16000] FILES_OR_FOLDERS...

The journal has to hold every message of the input once, in order and as it was, also when the output is reduced
again; every artifact has to be the text of a result of the input.
"""

import sys

sys.dont_write_bytecode = True

import json
import pathlib
import subprocess
import tempfile

import command
from conversation import messages_of


def texts_of(value):
    """Every string anywhere in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from texts_of(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts_of(one)


def recorded(folder):
    lines = [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text(encoding="utf-8").splitlines()]
    pushed = [line for line in lines if not line.get("made")]
    return [line["message"] for line in pushed], [line["number"] for line in pushed]


def problems_of(messages, kept, numbers, artifacts):
    found = []
    if kept != messages:
        found.append(f"the journal holds {len(kept)} messages, not the {len(messages)} of the input as they were")
    if numbers != list(range(len(kept))):
        found.append("the numbers in the journal are not those of the messages")
    known = set(texts_of(messages))
    found += [f"the artifact {name} is no text of the input" for name, text in artifacts.items() if text not in known]
    return found


def reduce(program, source, output, window, work):
    done = subprocess.run(
        [program, str(source), "--window", str(window), "--output", str(output), "--store", str(work / "store"),
         "--journal", str(work / "journal"), "--conversation", "checked"], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 3):
        sys.exit(f"{source}: exit status {done.returncode}: {done.stderr}")


def check(options, source, counts):
    messages = messages_of(json.loads(source.read_text(encoding="utf-8")))
    for window in options.windows:
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            reduce(options.program, source, work / "once.json", window, work)
            reduce(options.program, work / "once.json", work / "twice.json", window, work)
            store = work / "store"
            artifacts = {path.name: path.read_bytes().decode("utf-8") for path in store.iterdir() if path.suffix != ".source"} if store.is_dir() else {}
            counts["artifacts"] += len(artifacts)
            yield from (f"at {window}: {problem}" for problem in problems_of(messages, *recorded(work / "journal"), artifacts))


def selftest():
    messages = [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}]
    assert not problems_of(messages, messages, [0, 1], {"x": "b"})
    assert problems_of(messages, messages[:1], [0], {})
    assert problems_of(messages, messages[::-1], [0, 1], {})
    assert problems_of(messages, messages, [0, 2], {})
    assert problems_of(messages, messages, [0, 1], {"x": "c"})


selftest()
sys.exit(command.run(__doc__, check, selftest, "4000,16000", ["artifacts"]))
