# SPDX-License-Identifier: BSL-1.0
"""LangChain: trim_messages, SummarizationMiddleware and ContextEditingMiddleware."""

import json
from typing import Any

from langchain.agents.middleware import ClearToolUsesEdit, ContextEditingMiddleware, SummarizationMiddleware
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage, trim_messages
from langchain_core.outputs import ChatGeneration, ChatResult

import driver
from driver import clock


class ScriptedModel(BaseChatModel):
    @property
    def _llm_type(self):
        return "scripted"

    def _generate(self, messages, stop=None, run_manager=None, **more: Any):
        text = "\n".join(message.text for message in messages)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(driver.summarize(text)))])


def scripted(window):
    return ScriptedModel(profile={"max_input_tokens": window})


def native(message):
    text = message["content"] or ""
    if message["role"] == "system":
        return SystemMessage(text)
    if message["role"] == "user":
        return HumanMessage(text)
    if message["role"] == "tool":
        return ToolMessage(text, tool_call_id=message["tool_call_id"])
    calls = [{"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
             for call in message.get("tool_calls") or []]
    return AIMessage(text, tool_calls=calls)


def plain(message):
    text = message.text
    if isinstance(message, SystemMessage):
        return {"role": "system", "content": text}
    if isinstance(message, HumanMessage):
        return {"role": "user", "content": text}
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
    made = {"role": "assistant", "content": text}
    if message.tool_calls:
        made["tool_calls"] = [
            {"id": call["id"], "type": "function",
             "function": {"name": call["name"], "arguments": driver.compact(call["args"])}}
            for call in message.tool_calls]
    return made


def count(messages, **_):
    return clock.without(lambda: sum(driver.tokens_of_message(plain(message)) for message in messages))


def trim(messages, window):
    given = [native(message) for message in messages]
    with clock:
        sent = trim_messages(given, max_tokens=window, token_counter=count, strategy="last", start_on="human",
                             end_on=("human", "tool"), include_system=True, allow_partial=False)
    return [plain(message) for message in sent]


def summarization(messages, window):
    system, rest = driver.split(messages)
    given = [native(message) for message in rest]
    middleware = SummarizationMiddleware(model=scripted(window), trigger=("fraction", 0.8), keep=("fraction", 0.3),
                                         token_counter=count)
    with clock:
        update = middleware.before_model({"messages": given}, None)
    sent = [each for each in update["messages"] if not isinstance(each, RemoveMessage)] if update else given
    return driver.with_system(system, [plain(message) for message in sent])


def handled(middleware, request):
    """The messages that the middleware hands to the model."""
    seen = []

    def handler(request):
        seen[:] = request.messages
        return ModelResponse(result=[AIMessage("ok")])

    with clock:
        middleware.wrap_model_call(request, handler)
    return [plain(message) for message in seen]


def request(messages, window):
    system, rest = driver.split(messages)
    given = [native(message) for message in rest]
    return system, ModelRequest(model=scripted(window), messages=given, tools=[], state={"messages": given},
                                system_message=SystemMessage(system) if system else None)


def context_editing(messages, window):
    system, asked = request(messages, window)
    edit = ClearToolUsesEdit(trigger=window * 8 // 10, keep=3)
    middleware = ContextEditingMiddleware(edits=[edit], token_counter=count)
    return driver.with_system(system, handled(middleware, asked))


if __name__ == "__main__":
    driver.drive({"trim": trim, "summarization": summarization, "context_editing": context_editing})
