#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks every request that `agent_loop` would send for recorded conversations, without using the library.

  check_loop.py --program PATH/agent_loop [--windows 4000,16000] FILES_OR_FOLDERS...
  check_loop.py --selftest          planted defects must be found

Each request is a reduction of the messages that there were: the rules of check_reduction.py hold for it.
"""

import sys

sys.dont_write_bytecode = True

import copy
import json
import subprocess
import tempfile
from pathlib import Path

import command
import rules
from conversation import MARK, messages_of, parse_json
from edits import Finding
from rules import EXHAUSTED, FITS, Reduction, near

FENCE = "Summary of the earlier conversation, written by the program"
RULES = [rule for rule in rules.MESSAGE_RULES if rule is not rules.smaller]


def text_of(message):
    content = message.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    return content if isinstance(content, str) else ""


def marked(sent, known):
    """Requests carry no marks: summaries are known by their fence, if they were not pushed."""
    out = []
    for message in sent:
        made = message.get("role") == "user" and text_of(message).startswith(FENCE) and message not in known
        out.append({**message, MARK: "summary"} if made else message)
    return out


def check_request(document, line):
    """All findings on one request."""
    messages = messages_of(document)[:line["messages"]]
    before = {**document, "messages": messages} if isinstance(document, dict) else messages
    sent = marked(line["sent"], messages)
    after = {**document, "messages": sent} if isinstance(document, dict) else sent
    exit_of = {"fits": FITS, "exhausted": EXHAUSTED}
    status = EXHAUSTED if line["tokens"] > line["window"] else FITS
    if status == EXHAUSTED and exit_of.get(line["outcome"]) != EXHAUSTED:
        return [Finding("L8 fits", f"over the window, and said to be '{line['outcome']}'")]
    reduction = Reduction(line["window"], status, before, after, {"floor": line["floor"]})
    findings = [finding for rule in RULES for finding in rule(reduction)]
    counted = reduction.after.usage()
    if not near(counted, line["tokens"]):
        findings.append(Finding("report", f"said to take {line['tokens']} tokens, counted {counted}"))
    if status == FITS and counted > line["window"] and not near(counted, line["window"]):
        findings.append(Finding("L8 fits", f"{counted} tokens are sent in a window of {line['window']}"))
    if not sent:
        findings.append(Finding("L8 fits", "nothing is sent"))
    return findings


def selftest():
    call = {"role": "assistant", "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}]}
    result = {"role": "tool", "tool_call_id": "1", "content": "x y " * 100}
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "go"}, call, result,
                {"role": "assistant", "content": "done"}, {"role": "user", "content": "and now?"}]
    good = {"window": 4000, "messages": 6, "outcome": "fits", "tokens": 0, "floor": 0, "sent": messages}

    def found(**changes):
        line = {**copy.deepcopy(good), **changes}
        document = {"messages": messages + [{"role": "assistant", "content": "later"}]}
        if "tokens" not in changes:
            line["tokens"] = Reduction(0, 0, document, {"messages": line["sent"]}, {}).after.usage()
        return check_request(document, line)

    assert not found(), [str(f) for f in found()]
    assert found(sent=messages[:2] + messages[3:]), "a result without its call"
    assert found(sent=messages[1:]), "no system message"
    assert found(sent=messages[:5]), "no latest user message"
    assert found(sent=[messages[0], messages[5], *messages[1:5]]), "another order"
    assert found(sent=messages + [{"role": "assistant", "content": "later"}]), "a message that was not there yet"
    assert found(tokens=2_000), "another size"
    assert found(window=100), "over the window"
    assert found(window=10, outcome="over", tokens=200), "over, not exhausted"
    print("selftest passed")


def check(options, path, counts):
    document = parse_json(path.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "requests.jsonl"
        windows = [argument for window in options.windows for argument in ("--window", str(window))]
        done = subprocess.run([options.program, *windows, "--requests", str(log), str(path)], capture_output=True, text=True, timeout=600)
        print(done.stdout, end="")
        if done.returncode != 0:
            return (yield f"exit {done.returncode}: {done.stderr}")
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    counts["requests"] += len(lines)
    for line in lines:
        for finding in check_request(document, line):
            yield f"in {line['window']}, before message {line['messages']}: {finding}"


sys.exit(command.run(__doc__, check, selftest, "4000,16000", ["requests"]))
