#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""clients.py FOLDER   has the Python clients send the ninth and tenth conversation of each shape that they know.

They write the same requests in other bytes: other spaces and order of members, other letters escaped. The body that
a client sends replaces FOLDER/<shape>/<n>.json.
"""

import base64
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True

NUMBERS = (9, 10)


class Kept(Exception):
    """Ends a request as soon as its body is known."""


def keeper(kept, httpx):
    """A transport of httpx that keeps the body and answers nothing."""
    def handle(request):
        kept.append(request.read())
        return httpx.Response(200, json={})
    return httpx.MockTransport(handle)


def send_openai(body, kept):
    """Also items of the Responses API."""
    import httpx
    import openai
    client = openai.OpenAI(api_key="none", max_retries=0, http_client=httpx.Client(transport=keeper(kept, httpx)))
    (client.responses if "input" in body else client.chat.completions).create(**body)


def send_anthropic(body, kept):
    import anthropic
    import httpx2
    http = httpx2.Client(transport=keeper(kept, httpx2))
    client = anthropic.Anthropic(api_key="none", max_retries=0, http_client=http)
    client.messages.create(**body)


def send_gemini(body, kept):
    import httpx
    from google import genai
    from google.genai import types
    client = genai.Client(api_key="none", http_options=types.HttpOptions(
        httpx_client=httpx.Client(transport=keeper(kept, httpx))))
    config = {"system_instruction": body["systemInstruction"]["parts"][0]["text"], "tools": body["tools"],
              "temperature": 1, "thinking_config": {"include_thoughts": True}}
    client.models.generate_content(model="gemini-3-pro-preview", contents=body["contents"], config=config)


def send_bedrock(body, kept):
    import boto3
    client = boto3.client("bedrock-runtime", region_name="eu-central-1", aws_access_key_id="none",
                          aws_secret_access_key="none")

    def keep(request, **_):
        kept.append(request.body)
        raise Kept

    def with_bytes(value):
        """The client takes bytes where the body has base64."""
        if isinstance(value, list):
            return [with_bytes(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {key: base64.b64decode(each) if key in ("bytes", "redactedContent") else with_bytes(each)
                for key, each in value.items()}
    client.meta.events.register("before-send.bedrock-runtime.Converse", keep)
    client.converse(modelId="eu.anthropic.claude-sonnet-4-5-20250929-v1:0", **with_bytes(body))


def send_ollama(body, kept):
    import httpx
    import ollama
    client = ollama.Client(host="http://127.0.0.1:9", transport=keeper(kept, httpx))
    client.chat(**body)


def main():
    folder = Path(sys.argv[1])
    for shape in ("openai", "responses", "anthropic", "gemini", "bedrock", "ollama"):
        for number in NUMBERS:
            path = folder / shape / f"{number}.json"
            kept = []
            try:
                globals()["send_" + shape.replace("responses", "openai")](json.loads(path.read_bytes()), kept)
            except Exception as error:  # what the client makes of the answer is not what this is for
                if not kept:
                    raise SystemExit(f"{path}: {type(error).__name__}: {error}")
            body = kept[0] if isinstance(kept[0], bytes) else kept[0].encode()
            json.loads(body)
            path.write_bytes(body)


if __name__ == "__main__":
    main()
