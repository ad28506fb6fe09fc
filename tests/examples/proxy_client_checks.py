# SPDX-License-Identifier: BSL-1.0
"""Conversations through the example `proxy` by the official clients: they see no refusal, and all arrives whole."""

import json

import anthropic
import openai

from checks import effort, expect
from fake_provider import KEY, Provider
from proxy_talk import SYSTEM, Anthropic, OpenAI, Proxy, check_requests, result_of, task

TURNS = 80 if effort() >= 1000 else 40
OPTIONS = {"api_key": KEY, "max_retries": 0, "timeout": 120}


def openai_plain(client, request):
    message = client.chat.completions.create(**request).choices[0].message
    calls = [{"id": call.id, "type": "function", "function": {"name": call.function.name, "arguments": call.function.arguments}} for call in message.tool_calls or []]
    return message.content, calls


def openai_streamed(client, request):
    text, calls = "", []
    for chunk in client.chat.completions.create(stream=True, **request):
        delta = chunk.choices[0].delta
        text += delta.content or ""
        for piece in delta.tool_calls or []:
            if piece.index == len(calls):
                calls.append({"id": piece.id, "type": "function", "function": {"name": piece.function.name, "arguments": ""}})
            calls[piece.index]["function"]["arguments"] += piece.function.arguments
    return text, calls


def anthropic_plain(client, request):
    return [block.model_dump(include={"type", "text", "id", "name", "input"}, exclude_none=True) for block in client.messages.create(**request).content]


def anthropic_streamed(client, request):
    with client.messages.stream(**request) as stream:
        return [block.model_dump(include={"type", "text", "id", "name", "input"}, exclude_none=True) for block in stream.get_final_message().content]


def expected(number, calls):
    """The text of the provider's answer to a request, by its number."""
    return f"Looking at step {number}." if calls else f"Step {number} is done: src/part_{number}/done.cpp holds it. \u00fc\u4e16\U0001F600"


def check_answer(provider, turn, round, text, calls):
    number = len(provider.seen)
    expect(text.strip() == expected(number, calls), f"turn {turn}: another text", text)
    wanted = [] if round else [(tool, {"path": f"src/part_{number}/file_{at}.cpp", "line": number}) for at, tool in enumerate(["read_file", "search"])]
    expect([(name, given) for _, name, given in calls] == wanted, f"turn {turn}: other calls", calls)


def converse_openai(program, ask, *options):
    with Provider() as provider, Proxy(program, provider.url, *options) as proxy, openai.OpenAI(base_url=proxy.url + "/v1", **OPTIONS) as client:
        messages = OpenAI.start()
        for turn in range(TURNS):
            messages.append(OpenAI.said(turn, task(turn)))
            for round in range(2):
                text, calls = ask(client, OpenAI.request(messages, False))
                check_answer(provider, turn, round, text, [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls])
                messages.append({"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})})
                messages += OpenAI.results([(call["id"], result_of(call["id"], call["function"]["name"])) for call in calls])
        check_requests(provider, OpenAI, TURNS)
        expect(provider.refused < 8 and KEY not in proxy.log, f"{provider.refused} refusals", proxy.log)
        return provider.refused


def converse_anthropic(program, ask, *options):
    with Provider() as provider, Proxy(program, provider.url, *options) as proxy, anthropic.Anthropic(base_url=proxy.url, **OPTIONS) as client:
        messages = Anthropic.start()
        for turn in range(TURNS):
            messages.append(Anthropic.said(turn, task(turn)))
            for round in range(2):
                content = ask(client, Anthropic.request(messages, False))
                calls = [(block["id"], block["name"], block["input"]) for block in content if block["type"] == "tool_use"]
                check_answer(provider, turn, round, content[0]["text"], calls)
                messages.append({"role": "assistant", "content": content})
                if calls:
                    messages += Anthropic.results([(key, result_of(key, name)) for key, name, _ in calls])
        expect(SYSTEM in json.dumps(provider.accepted[-1]), "no system prompt")
        check_requests(provider, Anthropic, TURNS)
        expect(provider.refused < 8 and KEY not in proxy.log, f"{provider.refused} refusals", proxy.log)
        return provider.refused


def openai_whole_answers(program):
    converse_openai(program, openai_plain, "--window", "8000")


def openai_streams_with_a_window_to_learn(program):
    expect(converse_openai(program, openai_streamed) > 0, "the provider has refused nothing: this tests nothing")


def anthropic_whole_answers(program):
    converse_anthropic(program, anthropic_plain, "--window", "8000")


def anthropic_streams_with_a_window_to_learn(program):
    expect(converse_anthropic(program, anthropic_streamed) > 0, "the provider has refused nothing: this tests nothing")


def errors_reach_the_clients(program):
    with Provider() as provider, Proxy(program, provider.url) as proxy:
        wrong = {**OPTIONS, "api_key": "sk-wrong"}
        for kind, call in ((openai.AuthenticationError, lambda: openai.OpenAI(base_url=proxy.url + "/v1", **wrong).chat.completions.create(**OpenAI.request([OpenAI.said(0, "x")], False))),
                           (anthropic.AuthenticationError, lambda: anthropic.Anthropic(base_url=proxy.url, **wrong).messages.create(**Anthropic.request([Anthropic.said(0, "x")], False)))):
            try:
                call()
            except kind as problem:
                expect("wrong key" in str(problem), "another text", problem)
                continue
            expect(False, f"no {kind}")
    with Proxy(program, "http://127.0.0.1:9") as proxy:
        for kind, call in ((openai.InternalServerError, lambda: openai.OpenAI(base_url=proxy.url + "/v1", **OPTIONS).chat.completions.create(**OpenAI.request([OpenAI.said(0, "x")], False))),
                           (anthropic.InternalServerError, lambda: anthropic.Anthropic(base_url=proxy.url, **OPTIONS).messages.create(**Anthropic.request([Anthropic.said(0, "x")], False)))):
            try:
                call()
            except kind as problem:
                expect("no answer of the provider" in str(problem), "another text", problem)
                continue
            expect(False, f"no {kind}")


ALL = [openai_whole_answers, openai_streams_with_a_window_to_learn, anthropic_whole_answers, anthropic_streams_with_a_window_to_learn, errors_reach_the_clients]
