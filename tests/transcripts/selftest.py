# SPDX-License-Identifier: BSL-1.0
"""Checks the checker: correct reductions pass, each planted violation is named by its rule and no other."""

import copy
import tempfile
from pathlib import Path

from check_reduction import Run, check_file
from conversation import BadConversation, Conversation, Estimator, dump, parse_json, read_message
from rules import EXHAUSTED, FITS, Reduction, check
from selftest_cases import (CORRECT, WINDOW, anthropic_input, assistant, honest, openai_call, openai_calls,
                            openai_case, openai_result, pi_input, reduction, summary, user)
from selftest_plants import PLANTS


def selftest_plants(failures):
    for each in PLANTS:
        r = each.case()
        r = Reduction(r.window, r.exit, r.input, r.output, r.report)
        each.change(r)
        told = Reduction(r.window, r.exit, r.input, r.output, r.report)
        if each.retell:
            told.report = honest(told)
        findings = check(told)
        rules = {f.rule for f in findings}
        if not each.expected <= rules <= each.expected | each.also:
            failures.append(f"planted '{each.what}': expected {sorted(each.expected)}, found {sorted(rules)}"
                            + "".join(f"\n      {f}" for f in findings))


def selftest_correct(failures):
    for case in CORRECT:
        for finding in check(case()):
            failures.append(f"correct {case.__name__}: {finding}")


# ---------------------------------------------------------------- reading, pairing, counting
def expect(failures, what, actual, expected):
    if actual != expected:
        failures.append(f"{what}: {actual}, expected {expected}")


def selftest_estimate(failures):
    other, gpt, claude = Estimator("other"), Estimator("gpt"), Estimator("claude")
    expect(failures, "text of 4", other.text("abcd"), 256)
    expect(failures, "text of 1", other.text("a"), 256)
    mixed = "Don't read 12 of /src/Main.cpp:\n\tif (x == nullptr) return;  // \u041f\u0440\u0438\u0432\u0435\u0442, \u4f60\u597d"
    for estimator, tokens in ((other, 6048), (gpt, 6002), (claude, 7896)):
        expect(failures, "text of " + estimator.family, estimator.text(mixed), tokens)
    expect(failures, "no text", other.text(""), 0)
    expect(failures, "code points", other.text("\U0001f600" * 37), 22350)
    expect(failures, "gpt", gpt.text("x" * 40), 1026)

    def cost(message, estimator=other):
        return estimator.message(read_message(message))

    frame = 4 * 256
    expect(failures, "frame", cost(user("abcd")), frame + 256)
    expect(failures, "claude frame", cost(user(""), claude), 512)
    expect(failures, "call", cost(openai_calls(openai_call("idid", "name", "{}"))), frame + 256 + 256 + 256)
    expect(failures, "result", cost(openai_result("idid", "abcd")), frame + 256 + 256)
    expect(failures, "empty result", cost(openai_result("idid", None)), frame + 256)
    expect(failures, "reasoning", cost(assistant(None, reasoning_content="abcd", thought="not counted")), frame + 256)
    blocks = {"image_url": frame + 1600 * 256, "document": frame + 1600 * 256}
    for kind, expected in blocks.items():
        expect(failures, kind, cost(user([{"type": kind, "data": "x" * 99999}])), expected)
    expect(failures, "input", cost(assistant([{"type": "tool_use", "id": "", "name": "", "input": {"a": "\u00e9\""}}])),
           frame + other.text('{"a":"\u00e9\\""}'))
    expect(failures, "redacted", cost(assistant([{"type": "redacted_thinking", "data": "12345"}])), frame + 512)
    two = [{"type": "text", "text": "abcd"}, {"type": "text", "text": "abcd"}]
    expect(failures, "result of two blocks",
           cost(user([{"type": "tool_result", "tool_use_id": "idid", "content": two}])), frame + 4 * 256)
    expect(failures, "overhead", other.overhead([{"type": "text", "text": "abcd"}, "12345"]), 5)
    expect(failures, "no overhead", other.overhead(None), 0)


def call(*ids, name="f"):
    return openai_calls(*(openai_call(i, name, "{}") for i in ids))
def groups(c):
    return [g for g in c.groups.values() if len(g) > 1]
def first_is_dead(c):
    return c.is_dead(c.calls()[0])


NAMELESS = {"role": "assistant", "content": None, "tool_calls": [openai_call("", "f", "{}"), openai_call("", "g", "{}")]}
IN_ORDER = (NAMELESS, {"role": "tool", "name": "g", "content": "2"}, {"role": "tool", "content": "1"},
            {"role": "tool", "name": "g", "content": "3"})
REUSED = (user("u"), call("x"), openai_result("x", "1"), call("x"), openai_result("x", "2"), assistant("e"))
PIECES = (call("x"), openai_result("x", "1"), openai_result("x", "2"))
DEAD = (user("u"), call("x"), user("stop"), assistant("ok"))
TWO_IN_ONE = (call("x", "y"), {"role": "tool", "tool_call_ids": ["x", "y"], "content": "both"}, assistant("e"))
open_groups = Conversation.open_groups
PAIRS = (  # a name, messages, what is read of them, and how that has to be
    ("reused ids", REUSED, groups, [[1, 2], [3, 4]]),
    ("closed", REUSED, open_groups, []),
    ("a second result joins", PIECES, groups, [[0, 1, 2]]),
    ("newest group is open", PIECES, open_groups, [0]),
    ("without ids by name and order", IN_ORDER, lambda c: [r.partner and r.partner.name for r in c.results()], ["g", "f", None]),
    ("an orphan in flight is open", IN_ORDER, open_groups, [0, 3]),
    ("an orphan inside the newest group", (call("x"), openai_result("z", "?"), openai_result("x", "1")), open_groups, [0]),
    ("an orphan that was answered",
     (call("x"), openai_result("x", "1"), assistant("a"), openai_result("z", "?"), assistant("e")), open_groups, []),
    ("an orphan after the last answer", (call("x"), openai_result("x", "1"), assistant("a"), openai_result("z", "?")), open_groups, [3]),
    ("an orphan without any call", (user("u"), openai_result("z", "?")), open_groups, []),
    ("no ids in the list of ids", (call("x"), {"role": "tool", "tool_call_ids": [], "content": "1"}), groups, [[0, 1]]),
    ("a dead call", DEAD, first_is_dead, True),
    ("a dead call is not open", DEAD, open_groups, []),
    ("a pending call", DEAD[:3], first_is_dead, False),
    ("a pending call is open", DEAD[:3], open_groups, [1]),
    ("pending behind an answer", (user("u"), call("x"), assistant("went on")), open_groups, [1]),
    ("one message answers two calls", TWO_IN_ONE, groups, [[0, 1]]),
    ("and leaves no orphan", TWO_IN_ONE, Conversation.orphans, []),
    ("anthropic groups", anthropic_input(), groups, [[1, 2]]),
    ("anthropic results", anthropic_input(), lambda c: [len(c.results()), len(c.orphans())], [3, 0]),
    ("plain user messages", anthropic_input(), Conversation.plain_users, [0, 4]),
    ("floor", pi_input(), lambda c: sorted(c.floor_members()), [3]),
    ("a summary is no plain user message", (user("u"), summary()), Conversation.plain_users, [0]))


def selftest_pairs(failures):
    for what, messages, read, expected in PAIRS:
        expect(failures, what, read(Conversation(list(messages), Estimator())), expected)
    for bad in ({}, 5, [5], [{"content": "no role"}], {"messages": {}}):
        try:
            failures.append(f"{bad} is read as {len(Conversation(bad, Estimator()))} messages")
        except BadConversation:
            pass
    try:
        parse_json("[NaN]")
        failures.append("NaN is read as JSON")
    except ValueError:
        pass


# ---------------------------------------------------------------- running
def told(r):
    return Run(r.exit, dump(r.output).encode(), dump(r.report).encode())


def selftest_running(failures):
    """Programs that answer from a list: the run on the file, then the run on its own output."""
    first = openai_case()
    again = reduction(first.output, first.output, first.window)
    shorter = copy.deepcopy(first.output)
    shorter["messages"][3:7] = []
    liar = copy.deepcopy(again)
    liar.report["first_changed"] = 4
    exhausted = reduction(first.output, first.output, WINDOW, EXHAUSTED)
    unlike = reduction(first.output, shorter, WINDOW)
    spaced = Run(FITS, told(again).stdout + b"\n", told(again).stderr)
    silent = Run(FITS, told(first).stdout, b"")
    surrogate = Run(FITS, told(first).stdout.replace(b"found:", b"\\ud800:"), told(first).stderr)
    scenarios = {
        "a sound program": ([told(first), told(again)], set()),
        "another result on its own output": ([told(first), told(unlike)], {"L5 again"}),
        "a change reported on its own output": ([told(first), told(liar)], {"L5 again"}),
        "other bytes on its own output": ([told(first), spaced], {"L5 again"}),
        "exit 3 on its own output": ([told(first), told(exhausted)], {"L5 again"}),
        "no report": ([silent, told(again)], {"container", "report"}),
        "output that is no JSON": ([Run(FITS, b"[{", told(first).stderr)], {"container"}),
        "output that is no conversation": ([Run(FITS, b"{}", told(first).stderr)], {"container"}),
        "output that is not UTF-8": ([Run(FITS, b'["\xff"]', told(first).stderr)], {"T1 utf8"}),
        "a lone surrogate": ([surrogate, told(again)], {"T1 utf8", "L5 again"}),
        "a crash": ([Run(-11, b"", b"")], {"L8 fits"}),
        "a refusal of readable input": ([Run(2, b"", b"")], {"L8 fits"}),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "input.json"
        path.write_text(dump(first.input), encoding="utf-8")
        for name, (runs, expected) in scenarios.items():
            _scenario(failures, name, path, runs, expected)
        path.write_text('{"messages": 1}', encoding="utf-8")
        _scenario(failures, "bad input refused", path, [Run(2, b"", b"bad input")], set())
        _scenario(failures, "bad input taken", path, [Run(0, b"", b"{}")], {"L8 fits"})
        _scenario(failures, "bad input written on", path, [Run(2, b"[]", b"bad input")], {"L8 fits"})


def _scenario(failures, name, path, runs, expected):
    answers = iter(runs)
    verdict = check_file(lambda *_: next(answers), path, WINDOW)
    rules = {f.rule for f in verdict.findings}
    if rules != expected or next(answers, None) is not None:
        failures.append(f"running '{name}': expected {sorted(expected)}, found\n{verdict} {verdict.findings}")


def selftest():
    failures = []
    for part in (selftest_estimate, selftest_pairs, selftest_correct, selftest_plants, selftest_running):
        part(failures)
    for failure in failures:
        print("FAILED", failure)
    print(f"selftest: {len(CORRECT)} correct reductions, {len(PLANTS)} planted violations, {len(failures)} failures")
    return 1 if failures else 0
