# SPDX-License-Identifier: BSL-1.0
"""Strands Agents: SlidingWindowConversationManager and SummarizingConversationManager, asked as its agent asks them
after the provider refused a request as too long: until it fits."""

import json
import logging

from strands import Agent
from strands.agent.conversation_manager import SlidingWindowConversationManager, SummarizingConversationManager
from strands.models import Model
from strands.types.exceptions import ContextWindowOverflowException

import driver
from driver import clock


def texts(messages):
    for message in messages:
        for block in message["content"]:
            if "text" in block:
                yield block["text"]
            elif "toolUse" in block:
                yield driver.compact(block["toolUse"]["input"])
            elif "toolResult" in block:
                yield from (each["text"] for each in block["toolResult"]["content"] if "text" in each)


class ScriptedModel(Model):
    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    def structured_output(self, *_, **__):
        raise NotImplementedError

    async def stream(self, messages, *_, **__):
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": driver.summarize("\n".join(texts(messages)))}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def native(messages):
    """Results of one assistant message stand in one user message."""
    made = []
    for message in messages:
        if message["role"] == "tool":
            block = {"toolResult": {"toolUseId": message["tool_call_id"], "status": "success",
                                    "content": [{"text": message["content"]}]}}
            if made[-1]["role"] == "user" and "toolResult" in made[-1]["content"][0]:
                made[-1]["content"].append(block)
            else:
                made.append({"role": "user", "content": [block]})
            continue
        content = [{"text": message["content"]}] if message["content"] else []
        content += [{"toolUse": {"toolUseId": call["id"], "name": call["function"]["name"],
                                 "input": json.loads(call["function"]["arguments"])}}
                    for call in message.get("tool_calls") or []]
        made.append({"role": message["role"], "content": content})
    return made


def plain(messages):
    made = []
    for message in messages:
        said, calls = [], []
        for block in message["content"]:
            if "toolResult" in block:
                result = block["toolResult"]
                made.append({"role": "tool", "tool_call_id": result["toolUseId"],
                             "content": "\n".join(each.get("text", "") for each in result["content"])})
            elif "toolUse" in block:
                use = block["toolUse"]
                calls.append({"id": use["toolUseId"], "type": "function",
                              "function": {"name": use["name"], "arguments": driver.compact(use["input"])}})
            elif "text" in block:
                said.append(block["text"])
        if said or calls:
            extra = {"tool_calls": calls} if calls else {}
            made.append({"role": message["role"], "content": "\n".join(said), **extra})
    return made


def managed(manager, messages, window):
    system, rest = driver.split(messages)
    agent = Agent(model=ScriptedModel(), messages=native(rest), system_prompt=system or None, tools=[],
                  conversation_manager=manager, callback_handler=None, load_tools_from_directory=False)

    def tokens():
        return clock.without(lambda: driver.count_messages(driver.with_system(system, plain(agent.messages))))

    with clock:
        manager.apply_management(agent)
        size = tokens()
        while size > window:
            before = size, len(agent.messages)
            manager.reduce_context(agent, e=ContextWindowOverflowException("prompt is too long"))
            size = tokens()
            if (size, len(agent.messages)) >= before and len(agent.messages) == before[1]:
                raise RuntimeError("reduce_context makes it no smaller, and would be called for ever")
    return driver.with_system(system, plain(agent.messages))


def sliding(messages, window):
    return managed(SlidingWindowConversationManager(per_turn=True), messages, window)


def summarizing(messages, window):
    return managed(SummarizingConversationManager(), messages, window)


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    driver.drive({"sliding": sliding, "summarizing": summarizing})
