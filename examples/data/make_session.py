#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes session.json: a made-up agent session in OpenAI chat shape, the same on every machine."""

import json
import pathlib
import random

words = random.Random(7)
NOUNS = ["parser", "cache", "session", "router", "ledger", "queue", "index", "token", "buffer", "schema"]
VERBS = ["load", "merge", "flush", "split", "verify", "count", "render", "close"]


def source_file(name, functions):
    lines = [f"// {name}", "#include <string>", ""]
    for number in range(functions):
        verb, noun = words.choice(VERBS), words.choice(NOUNS)
        lines += [
            f"int {verb}_{noun}_{number}(std::string const& input) {{",
            f"    auto const limit = {words.randrange(1, 4096)};",
            "    if (input.empty()) return -1;",
            f"    return static_cast<int>(input.size()) % limit;  // {words.choice(NOUNS)}",
            "}",
            "",
        ]
    return "\n".join(lines)


def test_log(cases, failing):
    lines = []
    for number in range(cases):
        state = "FAILED" if number in failing else "passed"
        lines.append(f"[{number:4}/{cases}] {words.choice(NOUNS)}.{words.choice(VERBS)}_{number} ... {state}"
                     f" ({words.randrange(1, 900)} ms)")
        if number in failing:
            lines.append(f"    assertion: expected {words.randrange(99)} but was {words.randrange(99)} at line {number * 3}")
    lines.append(f"{cases - len(failing)} passed, {len(failing)} failed")
    return "\n".join(lines)


def main():
    messages = [
        {"role": "system", "content": "You are a careful engineer. Use the tools; never guess file contents."},
        {"role": "user", "content": "The ledger tests fail since the last merge. Find out why and mend it."},
    ]
    next_id = 0

    def step(calls, say=None):
        nonlocal next_id
        tool_calls, results = [], []
        for tool, arguments, output in calls:
            next_id += 1
            call_id = f"call_{next_id:04}"
            tool_calls.append({"id": call_id, "type": "function",
                               "function": {"name": tool, "arguments": json.dumps(arguments)}})
            results.append({"role": "tool", "tool_call_id": call_id, "name": tool, "content": output})
        messages.append({"role": "assistant", "content": say, "tool_calls": tool_calls})
        messages.extend(results)

    step([("run_tests", {"filter": "*"}, test_log(220, {17, 18, 140}))], "First the whole suite.")
    for round_number in range(9):
        noun = words.choice(NOUNS)
        paths = [f"src/{noun}_{round_number}_{part}.cpp" for part in range(words.randrange(1, 4))]
        step([("read_file", {"path": path}, source_file(path, words.randrange(6, 60))) for path in paths])
        step([("search", {"pattern": noun}, "\n".join(
            f"src/{noun}_{round_number}.cpp:{line}: {words.choice(VERBS)}_{noun}(input)" for line in range(1, 60, 3)))])
    messages.append({"role": "assistant", "content": "The limit in src/ledger_4_0.cpp is off by one."})
    messages.append({"role": "user", "content": "Good. 修正してください。 Keep the public names as they are."})
    step([("edit_file", {"path": "src/ledger_4_0.cpp", "old_text": "limit = 17", "new_text": "limit = 18"}, "1 change written")])
    step([("run_tests", {"filter": "ledger*"}, test_log(40, {17}))], "Once more, the ledger only.")
    step([("read_file", {"path": "src/ledger_4_1.cpp"}, source_file("src/ledger_4_1.cpp", 40))])
    step([("edit_file", {"path": "src/ledger_4_1.cpp", "old_text": "% limit", "new_text": "% (limit + 1)"}, "1 change written")])
    step([("run_tests", {"filter": "*"}, test_log(220, set()))])
    messages.append({"role": "assistant", "content": "All 220 tests pass. Two lines changed, no public name."})
    messages.append({"role": "user", "content": "Write the commit message."})
    target = pathlib.Path(__file__).with_name("session.json")
    target.write_text(json.dumps({"model": "made-up", "messages": messages}, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


main()
