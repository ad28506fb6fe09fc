# SPDX-License-Identifier: BSL-1.0
"""Shared by the drivers in Python: the loop, the token counter and the model that writes the summaries.

A driver reads requests, a JSON object a line, {"row", "window", "messages"}, and writes for each a line {"messages",
"seconds", "calls"} or {"failed"}: what its library would send, the processor seconds inside it, and how often it asked
the model. `driver.py VOCABULARIES` reads messages and writes the tokens of each."""

import base64
import json
import pathlib
import re
import signal
import sys
import time

WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-/:@#]{2,}[A-Za-z0-9_]")
NAME = re.compile(r"[/_@0-9]|[a-z][A-Z]|[a-z]\.[a-z]")
FRAME = 4
SUMMARY = 1200  # characters
LIMIT = 120  # seconds for one request


class Clock:
    """Processor seconds inside `with clock:`, without those of the shared counter and of the model."""

    def __init__(self):
        self.seconds, self.apart, self.calls = 0.0, 0.0, 0

    def __enter__(self):
        self.begin = time.process_time()

    def __exit__(self, *_):
        self.seconds += time.process_time() - self.begin

    def without(self, function, *given):
        begin = time.process_time()
        try:
            return function(*given)
        finally:
            self.apart += time.process_time() - begin


clock = Clock()
counted = {}


def load(vocabularies):
    import tiktoken
    from tiktoken_ext import openai_public
    lines = (line.split() for line in (pathlib.Path(vocabularies) / "o200k_base.tiktoken").read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    return tiktoken.Encoding(**openai_public.o200k_base())


def tokens_of(text):
    if text not in counted:
        counted[text] = len(encoding.encode_ordinary(text)) if text else 0
    return counted[text]


def count_text(text):
    """Exact tokens of a text by o200k_base; for libraries that take a counter."""
    return clock.without(tokens_of, text)


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens_of_message(message):
    texts = [message.get("content") or "", message.get("tool_call_id") or ""]
    for call in message.get("tool_calls") or []:
        texts += [call["id"], call["function"]["name"], call["function"]["arguments"]]
    return FRAME + sum(map(tokens_of, texts))


def count_messages(messages):
    """Exact tokens of OpenAI chat messages."""
    return sum(map(tokens_of_message, messages))


def write_summary(text):
    """The model of all peers: a fixed sentence, then the names in what it reads, the latest first."""
    found, size = {}, 0
    for word in reversed(WORD.findall(text)):
        if NAME.search(word) and word not in found and size + len(word) + 2 <= SUMMARY:
            found[word] = None
            size += len(word) + 2
    return "The conversation so far, in short; what it named: " + ", ".join(found)


def summarize(text):
    clock.calls += 1
    return clock.without(write_summary, text)


def split(messages):
    """The system prompt, and the messages without it."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    return system, [message for message in messages if message["role"] != "system"]


def with_system(system, messages):
    return ([{"role": "system", "content": system}] if system else []) + messages


def stop(*_):
    raise TimeoutError(f"more than {LIMIT} s")


def drive(rows):
    """rows: {name: function of messages and window that returns messages, with the library's part inside the clock}"""
    global encoding
    encoding = load(sys.argv[1])
    signal.signal(signal.SIGALRM, stop)
    for line in sys.stdin:
        request = json.loads(line)
        clock.__init__()
        signal.alarm(LIMIT)
        try:
            sent = rows[request["row"]](request["messages"], request["window"])
            answer = {"messages": sent}
        except Exception as error:
            answer = {"failed": f"{type(error).__name__}: {error}"[:300]}
        signal.alarm(0)
        answer |= {"seconds": max(0.0, clock.seconds - clock.apart), "calls": clock.calls}
        print(json.dumps(answer), flush=True)


def main():
    global encoding
    encoding = load(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps([tokens_of_message(message) for message in json.loads(line)]), flush=True)


if __name__ == "__main__":
    main()
