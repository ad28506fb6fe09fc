#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""peers_test.py --program PEERS --clients FOLDER: the clients of this library beside the providers' own npm packages.

Both have the conversations of tests/shapes/data with a provider of this machine, whole and streamed, one request further
where the answer calls tools, and write what a prompt asks for. What they send has to mean the same, and they have to read
the same from what is answered. FOLDER holds the packages; run_peers.sh puts them there.
"""

import json
import os
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "support"))

from checks import arguments, expect, run, run_all
from peer_provider import CALLS, ERRORS, REFUSAL, RESULT, VARIANTS, WORDS, Provider
from protocols import CACHED, INPUT, OUTPUT

KEY = "peers-key-0123456789"
KEY_HEADERS = {"openai": ["authorization"], "responses": ["authorization"], "anthropic": ["x-api-key", "authorization"], "gemini": ["x-goog-api-key"]}
LISTS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents"}


def results(shape):
    """What the tools of CALLS returned."""
    if shape == "openai":
        return [{"role": "tool", "tool_call_id": key, "content": RESULT} for key, _, _ in CALLS]
    if shape == "responses":
        return [{"type": "function_call_output", "call_id": key, "output": RESULT} for key, _, _ in CALLS]
    if shape == "anthropic":
        return [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": key, "content": RESULT} for key, _, _ in CALLS]}]
    return [{"role": "user", "parts": [{"functionResponse": {"id": key, "name": name, "response": {"output": RESULT}}} for key, name, _ in CALLS]}]


def tasks_of(shape, address):
    tasks = []
    for number in range(1, 13):
        with open(os.path.join(here, "..", "shapes", "data", shape, f"{number}.json"), encoding="utf-8") as file:
            body = json.load(file)
        for stream in (False, True):
            variant = VARIANTS[(number + 4 * stream) % len(VARIANTS)]
            tasks.append({"shape": shape, "model": body.get("model", "gemini-3-pro-preview"), "key": KEY, "stream": stream, "answer": 1000 * (number % 2),
                          "results": results(shape), "body": {**body, **({} if shape == "gemini" else {"stream": stream})}, "variant": variant})
    for variant in ("text", "cut", "overflow"):
        tasks.append({"shape": shape, "model": "some-model-1", "key": KEY, "stream": False, "answer": 0, "results": [], "variant": variant,
                      "prompt": ["Summarise the conversation below.", "<transcript-1>\n[user] Größe? \U0001F600\n</transcript-1>\n", 321],
                      "body": {name: body[name] for name in ("tools", "functions", "store") if name in body}})  # the agent's tools are not sent
    return [{**task, "url": f"http://{address}/PEER/{task['variant']}"} for task in tasks]


def same(value):
    """The value without what means nothing: absent and null are the same."""
    if isinstance(value, dict):
        return {key: same(each) for key, each in value.items() if each is not None}
    return [same(each) for each in value] if isinstance(value, list) else value


def blocks_of(text):
    return [{"type": "text", "text": text}] if isinstance(text, str) else text


def meaning(shape, body):
    """What a body means, as far as two clients may say it differently."""
    body = same(body)
    if not body.get("stream", True):
        del body["stream"]
    for message in body.get(LISTS[shape], []):
        if shape == "openai":
            for name in ("parsed", "annotations"):  # the package reads more into its answers than is sent
                if not message.get(name):
                    message.pop(name, None)
            for call in message.get("tool_calls", []):
                call.get("function", {}).pop("parsed_arguments", None)
        elif shape == "responses":
            message.pop("parsed_arguments", None)
            for block in message.get("content", []):
                if isinstance(block, dict):
                    block.pop("parsed", None)
        elif shape == "anthropic":
            message["content"] = blocks_of(message["content"])
        elif shape == "gemini":
            parts = []
            for part in message["parts"]:  # a stream cuts a text anywhere
                if parts and set(part) == set(parts[-1]) == {"text"}:
                    parts[-1] = {"text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
            message["parts"] = parts
    if shape == "anthropic" and "system" in body:
        body["system"] = blocks_of(body["system"])
    if shape == "gemini" and "systemInstruction" in body:
        body["systemInstruction"].pop("role", None)
    return body


def difference(ours, theirs, where="body"):
    """Where the two differ first."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in [*ours, *theirs]:
            if key not in ours or key not in theirs:
                return f"{where}.{key} is only {'ours' if key in ours else 'theirs'}: {str(ours.get(key, theirs.get(key)))[:200]}"
            if ours[key] != theirs[key]:
                return difference(ours[key], theirs[key], f"{where}.{key}")
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for at, (one, other) in enumerate(zip(ours, theirs)):
            if one != other:
                return difference(one, other, f"{where}[{at}]")
    return f"{where}: ours {str(ours)[:300]}\n theirs {str(theirs)[:300]}"


def check_requests(shape, seen):
    expect(len(seen["ours"]) == len(seen["theirs"]), "another number of requests", f"{len(seen['ours'])}, {len(seen['theirs'])}")
    for number, (ours, theirs) in enumerate(zip(seen["ours"], seen["theirs"])):
        expect(ours["path"] == theirs["path"], f"request {number}: another path", (ours["path"], theirs["path"]))
        for peer in (ours, theirs):
            keys = [peer["headers"][name].removeprefix("Bearer ") for name in KEY_HEADERS[shape] if name in peer["headers"]]
            expect(keys == [KEY], f"request {number}: no key, or in another header", peer["headers"])
        expect(ours["headers"].get("anthropic-version") == theirs["headers"].get("anthropic-version"), f"request {number}: another version", (ours, theirs))
        expect(ours["headers"]["content-type"] == "application/json", f"request {number}: another type")
        one, other = meaning(shape, ours["body"]), meaning(shape, theirs["body"])
        expect(one == other, f"request {number} ({ours['path']}) means something else", "" if one == other else difference(one, other))


def expected(task, step):
    """Text, stop and usage of an answer, by what the provider has sent; the text of an error."""
    shape, variant = task["shape"], task["variant"] if step == 0 else "text"
    if variant in ERRORS:
        status, texts = ERRORS[variant]
        return [status, texts.get(shape, texts["openai"])]
    text = "" if variant == "thinking_calls" else REFUSAL if variant == "refusal" and shape != "gemini" else WORDS
    calls = variant.endswith("calls")
    stop = {"openai": "tool_calls" if calls else "length" if variant == "cut" else "stop",
            "responses": "max_output_tokens" if variant == "cut" else "completed",
            "anthropic": "tool_use" if calls else {"cut": "max_tokens", "refusal": "refusal"}.get(variant, "end_turn"),
            "gemini": "MAX_TOKENS" if variant == "cut" else "STOP"}[shape]
    return [text, stop, [INPUT, CACHED, OUTPUT]]


def check_answers(task, ours, theirs):
    where = f"{task['shape']}, {task['variant']}, {'streamed' if task['stream'] else 'whole'}, {'prompt' if 'prompt' in task else 'conversation'}"
    steps = 2 if task["variant"].endswith("calls") else 1
    expect(len(ours) == len(theirs) == steps, f"{where}: {len(ours)} and {len(theirs)} answers in place of {steps}")
    for step, (one, other) in enumerate(zip(ours, theirs)):
        wanted = expected(task, step)
        for name, answer in (("ours", one), ("theirs", other)):
            if len(wanted) == 2:
                late = task["stream"] and task["variant"] == "late"  # behind a status that says nothing of it
                expect(answer["error"] and (late or answer["error"][0] == wanted[0]) and wanted[1] in answer["error"][1], f"{where}: {name} sees another error", answer)
            else:
                expect(answer["error"] is None, f"{where}: {name} sees an error", answer)
                expect([answer["text"], answer["stop"], answer["usage"]] == wanted, f"{where}: {name} sees something else", (answer, wanted))


def converse(program, shape):
    count = 0
    with Provider() as provider, tempfile.TemporaryDirectory() as folder:
        tasks, answers = tasks_of(shape, provider.address), {}
        for peer, command in program.items():
            path = os.path.join(folder, peer)
            with open(path, "w", encoding="utf-8") as file:
                json.dump([{**task, "url": task["url"].replace("PEER", peer)} for task in tasks], file)
            answers[peer] = [json.loads(line) for line in run([*command, path], patience=300)[0].splitlines()]
            expect(len(answers[peer]) == len(tasks), f"{peer}: {len(answers[peer])} answers for {len(tasks)} tasks")
        for task, ours, theirs in zip(tasks, answers["ours"], answers["theirs"]):
            check_answers(task, ours, theirs)
            count += len(ours)
        check_requests(shape, provider.seen)
        print(f"{shape}: {len(tasks)} conversations and prompts, {count} requests of each")


chosen = arguments(clients=None)
peers = {"ours": [chosen.program], "theirs": ["node", os.path.join(chosen.clients, "peers.mjs")]}
sys.exit(run_all("peers_test", list(LISTS), lambda shape: converse(peers, shape)))
