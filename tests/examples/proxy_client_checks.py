# SPDX-License-Identifier: BSL-1.0
"""Conversations through the example `proxy` by the official clients: they see no refusal, and all arrives whole."""

import json

import anthropic
import openai

from checks import expect
from fake_provider import KEY, Provider
from proxy_talk import SYSTEM, TURNS, Anthropic, OpenAI, Proxy, check_requests, checks_of, newest_text, result_of, task

OPTIONS = {"api_key": KEY, "max_retries": 0, "timeout": 120}


def openai_plain(client, request):
    message = client.chat.completions.create(**request).choices[0].message
    calls = [{"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}} for call in message.tool_calls or []]
    return {"role": "assistant", "content": message.content, **({"tool_calls": calls} if calls else {})}


def openai_streamed(client, request):
    text, calls = "", []
    for chunk in client.chat.completions.create(stream=True, **request):
        if not chunk.choices:  # the usage
            continue
        delta = chunk.choices[0].delta
        text += delta.content or ""
        for piece in delta.tool_calls or []:
            if piece.index == len(calls):
                calls.append({"id": piece.id, "type": "function", "function": {"name": piece.function.name, "arguments": ""}})
            calls[piece.index]["function"]["arguments"] += piece.function.arguments
    return {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}


def anthropic_message(message):
    return {"role": "assistant", "content": [block.model_dump(include={"type", "text", "id", "name", "input"}, exclude_none=True) for block in message.content]}
def anthropic_plain(client, request):
    return anthropic_message(client.messages.create(**request))


def anthropic_streamed(client, request):
    with client.messages.stream(**request) as stream:
        return anthropic_message(stream.get_final_message())


def calls_of(message):
    if isinstance(message["content"], str):
        return [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in message.get("tool_calls", [])]
    return [(block["id"], block["name"], block["input"]) for block in message["content"] if block["type"] == "tool_use"]


def client_of(shape, url, **more):
    kind, path = (openai.OpenAI, "/v1") if shape is OpenAI else (anthropic.Anthropic, "")
    return kind(base_url=url + path, **{**OPTIONS, **more})


def expected(number, calls):
    """The text of the provider's answer to a request, by its number."""
    return f"Looking at step {number}." if calls else f"Step {number} is done: src/part_{number}/done.cpp holds it. \u00fc\u4e16\U0001F600"


def check_answer(provider, turn, round, text, calls):
    number = len(provider.seen)
    expect(text.strip() == expected(number, calls), f"turn {turn}: another text", text)
    wanted = [] if round else [(tool, {"path": f"src/part_{number}/file_{at}.cpp", "line": number}) for at, tool in enumerate(["read_file", "search"])]
    expect([(name, given) for _, name, given in calls] == wanted, f"turn {turn}: other calls", calls)


def converse(program, shape, ask, options, least_refused):
    with Provider() as provider, Proxy(program, provider.url, *options) as proxy, client_of(shape, proxy.url) as client:
        messages = shape.start()
        for turn in range(TURNS):
            messages.append(shape.said(turn, task(turn)))
            for round in range(2):
                message = ask(client, shape.request(messages, False))
                calls = calls_of(message)
                check_answer(provider, turn, round, newest_text(message), calls)
                messages.append(message)
                messages += shape.results([(key, result_of(key, name)) for key, name, _ in calls]) if calls else []
        expect(SYSTEM in json.dumps(provider.accepted[-1]), "no system prompt")
        check_requests(provider, shape, TURNS)
        expect(provider.refused < 8 and KEY not in proxy.log, f"{provider.refused} refusals", proxy.log)
        expect(provider.refused >= least_refused, "the provider has refused nothing: this tests nothing")


CONVERSATIONS = {
    "openai_whole_answers": (OpenAI, openai_plain, ("--window", "8000"), 0),
    "openai_streams_with_a_window_to_learn": (OpenAI, openai_streamed, (), 1),
    "anthropic_whole_answers": (Anthropic, anthropic_plain, ("--window", "8000"), 0),
    "anthropic_streams_with_a_window_to_learn": (Anthropic, anthropic_streamed, (), 1)}


def must_fail(shape, url, kind, text, **more):
    ask = openai_plain if shape is OpenAI else anthropic_plain
    try:
        ask(client_of(shape, url, **more), shape.request([shape.said(0, "x")], False))
    except kind as problem:
        return expect(text in str(problem), "another text", problem)
    expect(False, f"no {kind}")


def errors_reach_the_clients(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        must_fail(OpenAI, proxy.url, openai.AuthenticationError, "wrong key", api_key="sk-wrong")
        must_fail(Anthropic, proxy.url, anthropic.AuthenticationError, "wrong key", api_key="sk-wrong")
    with Proxy(program, "http://127.0.0.1:9") as proxy:
        must_fail(OpenAI, proxy.url, openai.InternalServerError, "no answer of the provider")
        must_fail(Anthropic, proxy.url, anthropic.InternalServerError, "no answer of the provider")


ALL = [*checks_of(CONVERSATIONS, converse), errors_reach_the_clients]
