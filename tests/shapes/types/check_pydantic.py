#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_pydantic.py OUTPUTS   has the models of the Python clients, which this Python has, read each conversation of a
folder."""

import copy
import sys

sys.dont_write_bytecode = True

from outputs import LISTS, outputs


def exhaust(value):
    """Models read some lists only when they are walked through."""
    if isinstance(value, dict):
        for each in value.values():
            exhaust(each)
    elif hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        for each in value:
            exhaust(each)


def readers():
    """For each shape a function that raises where the client's models refuse a body."""
    from anthropic.types import MessageParam
    from google.genai import types
    from ollama import Image, Message
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.responses import ResponseInputItemParam
    from pydantic import TypeAdapter
    chat = TypeAdapter(list[ChatCompletionMessageParam])
    items = TypeAdapter(list[ResponseInputItemParam])
    messages = TypeAdapter(list[MessageParam])
    return {
        "openai": lambda body: exhaust(chat.validate_python(body["messages"])),
        "responses": lambda body: exhaust(items.validate_python(body["input"])),
        "anthropic": lambda body: exhaust(messages.validate_python(body["messages"])),
        "gemini": lambda body: [types.Content(**each) for each in body["contents"]],
        "ollama": lambda body: [Message(**{**each, "images": [Image(value=data) for data in each.get("images", [])]})
                                for each in body["messages"]],
    }


def check(folder):
    from pydantic import ValidationError
    read, counts, failed, planted = readers(), {}, 0, set()
    for shape, name, body in outputs(folder):
        if shape not in read:
            continue
        counts[shape] = counts.get(shape, 0) + 1
        if shape not in planted:  # seen to fail first
            spoiled = copy.deepcopy(body)
            spoiled[LISTS[shape]][-1]["parts" if shape == "gemini" else "content"] = 7
            spoiled[LISTS[shape]][-1].pop("type", None)
            try:
                read[shape](spoiled)
                print(f"{shape}: the models accept a message whose content is a number")
                failed += 1
            except ValidationError:
                planted.add(shape)
        try:
            read[shape](body)
        except ValidationError as error:
            failed += 1
            if failed <= 20:
                print(f"{name}: {str(error)[:600]}")
    if not counts:
        print(f"NOTHING CHECKED: no conversation in {folder}", file=sys.stderr)
        return 1
    print("pydantic:", ", ".join(f"{shape} {count}" for shape, count in counts.items()) + f"; {failed} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(check(sys.argv[1]))
