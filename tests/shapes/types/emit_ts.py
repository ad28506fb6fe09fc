#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""emit_ts.py FOLDER INTO   writes each conversation of FOLDER as a TypeScript literal that has to satisfy the type
which its client takes: no casts, so that a member that the type does not know is an error.

What is no JSON is written as the client takes it: bytes by a function that returns some, members of an enumeration by
their names. What only the Python client sends is left to that: names with underscores in `gemini`, messages without
`content` in `ollama`.
"""

import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from outputs import outputs

CLIENTS = {  # what is imported of each, and the type of a body
    "openai": ('import type OpenAI from "openai";', "OpenAI.ChatCompletionCreateParams"),
    "responses": ('import type OpenAI from "openai";', "OpenAI.Responses.ResponseCreateParams"),
    "anthropic": ('import type Anthropic from "@anthropic-ai/sdk";', "Anthropic.MessageCreateParams"),
    "gemini": ('import { Language, Outcome, type Content } from "@google/genai";',
               "{ contents: Content[]; systemInstruction?: Content }"),
    "bedrock": ('import type { ConverseCommandInput } from "@aws-sdk/client-bedrock-runtime";\n'
                "declare function bytes(base64: string): Uint8Array;", "ConverseCommandInput"),
    "aisdk": ('import type { ModelMessage } from "ai";', "{ messages: ModelMessage[] }"),
    "aisdk_ui": ('import type { UIMessage } from "ai";', "{ id?: string; messages: UIMessage[]; trigger?: string }"),
    "mcp": ('import type { CreateMessageRequestParams } from "@modelcontextprotocol/sdk/types.js";',
            "CreateMessageRequestParams"),
    "ollama": ('import type { ChatRequest } from "ollama";', "ChatRequest"),
}
FOREIGN = re.compile(r'"(mime_type|inline_data|file_data|thought_signature|function_call|function_response)":')


def literal(shape, body):
    if shape == "gemini":
        body = {key: body[key] for key in ("contents", "systemInstruction") if key in body}
    if shape == "bedrock":
        body = {"modelId": "model", **body}
    text = json.dumps(body, ensure_ascii=True, indent=1)
    if shape == "gemini":
        text = re.sub(r'"language": "([A-Z_]+)"', r'"language": Language.\1', text)
        text = re.sub(r'"outcome": "([A-Z_]+)"', r'"outcome": Outcome.\1', text)
    if shape == "bedrock":
        text = re.sub(r'"(bytes|redactedContent)": ("[^"]*")', r'"\1": bytes(\2)', text)
    return text


def main():
    folder, into = sys.argv[1], Path(sys.argv[2])
    into.mkdir(parents=True, exist_ok=True)
    counts, left = {}, 0
    for shape, name, body in outputs(folder):
        text = literal(shape, body)
        if (shape == "gemini" and FOREIGN.search(text)) \
                or (shape == "ollama" and any("content" not in m for m in body["messages"])):
            left += 1
            continue
        counts[shape] = counts.get(shape, 0) + 1
        file = into / (re.sub(r"[^\w-]+", "_", name.removesuffix(".json")) + ".ts")
        imports, wanted = CLIENTS[shape]
        file.write_text(f"{imports}\nexport const body = {text} satisfies {wanted};\n")
    if not counts:
        raise SystemExit(f"NOTHING CHECKED: no conversation in {folder}")
    print("tsc:", ", ".join(f"{shape} {count}" for shape, count in counts.items())
          + (f"; {left} of the Python client left out" if left else ""))


if __name__ == "__main__":
    main()
