# SPDX-License-Identifier: BSL-1.0
"""Pydantic AI: history processors as its documents show them, in an agent whose model records what it is sent."""

import asyncio
import json

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    CompactionPart, ModelRequest, ModelResponse, SystemPromptPart, TextPart, ToolCallPart, ToolReturnPart,
    UserPromptPart)
from pydantic_ai.models.function import FunctionModel

import driver
from driver import clock

KEPT = 10


def native(messages):
    made, calls = [], {}
    for message in messages:
        if message["role"] == "assistant":
            parts = [TextPart(message["content"])] if message["content"] else []
            for call in message.get("tool_calls") or []:
                calls[call["id"]] = call["function"]["name"]
                parts.append(ToolCallPart(call["function"]["name"], json.loads(call["function"]["arguments"]),
                                          tool_call_id=call["id"]))
            made.append(ModelResponse(parts=parts))
            continue
        if message["role"] == "tool":
            id = message["tool_call_id"]
            part = ToolReturnPart(calls[id], message["content"], tool_call_id=id)
        else:
            part = UserPromptPart(message["content"])
        if made and isinstance(made[-1], ModelRequest):
            made[-1].parts.append(part)
        else:
            made.append(ModelRequest(parts=[part]))
    return made


def plain(messages):
    made = []
    for message in messages:
        said, calls = [], []
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                made.append({"role": "tool", "tool_call_id": part.tool_call_id, "content": part.model_response_str()})
            elif isinstance(part, ToolCallPart):
                calls.append({"id": part.tool_call_id, "type": "function",
                              "function": {"name": part.tool_name, "arguments": driver.compact(part.args_as_dict())}})
            elif isinstance(part, SystemPromptPart):
                made.append({"role": "system", "content": part.content})
            elif isinstance(part, (UserPromptPart, TextPart, CompactionPart)):
                content = part.content if isinstance(part.content, str) else "\n".join(map(str, part.content or ""))
                said.append(content)
            else:
                said.append(getattr(part, "content", "") or "")
        if said or calls:
            role = "assistant" if isinstance(message, ModelResponse) else "user"
            made.append({"role": role, "content": "\n\n".join(said), **({"tool_calls": calls} if calls else {})})
    return made


def processed(processor, messages):
    system, rest = driver.split(messages)
    seen = []

    def answer(messages, info):
        seen[:] = messages
        return ModelResponse(parts=[TextPart("ok")])

    agent = Agent(FunctionModel(answer), instructions=system or None, capabilities=[ProcessHistory(processor)])
    given = native(rest)

    async def run():
        with clock:
            await agent.run(message_history=given)

    asyncio.run(run())
    return driver.with_system(system, plain(seen))


def keep_recent(messages, window):
    async def processor(messages):
        return messages[-KEPT:] if len(messages) > KEPT else messages

    return processed(processor, messages)


def summarize_old(messages, window):
    async def processor(messages):
        if len(messages) <= KEPT:
            return messages
        old = "\n".join(text["content"] for text in plain(messages[:-KEPT]))
        return [ModelRequest(parts=[CompactionPart(content=driver.summarize(old))]), *messages[-KEPT:]]

    return processed(processor, messages)


if __name__ == "__main__":
    driver.drive({"keep_recent": keep_recent, "summarize_old": summarize_old})
