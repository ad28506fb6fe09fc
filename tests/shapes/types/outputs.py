# SPDX-License-Identifier: BSL-1.0
"""The conversations of a folder: <shape>/<name>.json, or <shape>-<name>.json as run_windows.py --keep writes them."""

import json
from pathlib import Path

LISTS = {"openai": "messages", "responses": "input", "anthropic": "messages", "gemini": "contents",
         "bedrock": "messages", "aisdk": "messages", "aisdk_ui": "messages", "mcp": "messages", "ollama": "messages"}
MARK = "condense"


def outputs(folder):
    """Shape, name and body of each; without the library's marks, which a program erases before it sends a request."""
    for path in sorted(Path(folder).rglob("*.json")):
        shape = path.parent.name if path.parent.name in LISTS else path.stem.split("-")[0]
        if shape not in LISTS:
            continue
        body = json.loads(path.read_bytes())
        if isinstance(body, list):
            body = {LISTS[shape]: body}
        for m in body[LISTS[shape]]:
            m.pop(MARK, None)
        yield shape, str(path.relative_to(folder)), body
