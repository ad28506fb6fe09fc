# SPDX-License-Identifier: BSL-1.0
"""Microsoft Agent Framework: ContextWindowCompactionStrategy, and strategies composed under a token budget."""

import asyncio
import logging

from agent_framework import (
    ChatResponse, Content, ContextWindowCompactionStrategy, Message, SlidingWindowStrategy, SummarizationStrategy,
    TokenBudgetComposedStrategy, ToolResultCompactionStrategy, apply_compaction)

import driver
from driver import clock


class Tokenizer:
    def count_tokens(self, text):
        return driver.count_text(text)


class ScriptedClient:
    additional_properties: dict = {}

    async def get_response(self, messages, *, stream=False, **_):
        text = driver.summarize("\n".join(message.text for message in messages if message.role != "system"))
        return ChatResponse(messages=[Message(role="assistant", contents=[text])], response_id="scripted")


def native(message):
    if message["role"] == "tool":
        contents = [Content.from_function_result(message["tool_call_id"], result=message["content"])]
        return Message(role="tool", contents=contents)
    contents = [Content.from_text(message["content"])] if message["content"] else []
    for call in message.get("tool_calls") or []:
        called = call["function"]
        contents.append(Content.from_function_call(call["id"], called["name"], arguments=called["arguments"]))
    return Message(role=message["role"], contents=contents)


def plain(message):
    made = []
    for content in message.contents:
        if content.type == "function_result":
            result = content.result if isinstance(content.result, str) else driver.compact(content.result)
            made.append({"role": "tool", "tool_call_id": content.call_id, "content": result})
    if made:
        return made
    calls = [{"id": content.call_id, "type": "function",
              "function": {"name": content.name, "arguments": content.arguments}}
             for content in message.contents if content.type == "function_call"]
    role = getattr(message.role, "value", message.role)
    return [{"role": role, "content": message.text, **({"tool_calls": calls} if calls else {})}]


def compacted(strategy, messages):
    given = [native(message) for message in messages]
    with clock:
        sent = asyncio.run(apply_compaction(given, strategy=strategy, tokenizer=Tokenizer()))
    return [each for message in sent for each in plain(message)]


def context_window(messages, window):
    return compacted(ContextWindowCompactionStrategy(max_context_window_tokens=window, max_output_tokens=0,
                                                     tokenizer=Tokenizer()), messages)


def composed(messages, window):
    strategies = [ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
                  SummarizationStrategy(client=ScriptedClient(), target_count=4, threshold=2, tokenizer=Tokenizer()),
                  SlidingWindowStrategy(keep_last_groups=20)]
    return compacted(TokenBudgetComposedStrategy(token_budget=window, tokenizer=Tokenizer(), strategies=strategies),
                     messages)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    driver.drive({"context_window": context_window, "composed": composed})
