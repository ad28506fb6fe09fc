# SPDX-License-Identifier: BSL-1.0
"""The example `recall_server` with the official client of PyPI."""

import asyncio
import os
import re

from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

from checks import checks_in, expect
from recall_checks import TOOLS
from recall_talk import claude, run, write

PLANT = "the harbour master keeps the key in locker 4711"

def talk():
    """A session of 300 lines, with a plant in the middle of a long result."""
    lines = []
    for at in range(100):
        noise = "\n".join(f"row {row} of step {at}: nothing" for row in range(60))
        lines += [claude(3 * at, f"Do step {at}."), claude(3 * at + 1, [{"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": f"run {at}"}}], "assistant"),
                  claude(3 * at + 2, [{"type": "tool_result", "tool_use_id": f"t{at}", "content": f"{noise}\n{PLANT}\n{noise}" if at == 41 else noise}])]
    return "".join(lines)

def text_of(result):
    expect(not result.is_error and len(result.content) == 1 and result.content[0].type == "text", "a result", result)
    return result.content[0].text

def parameters(chosen, *options):
    return StdioServerParameters(command=chosen.program, args=list(options), cwd=os.getcwd())
def a_session_of_the_client(chosen):
    write("talk.jsonl", talk())

    async def converse():
        async with stdio_client(parameters(chosen, "--transcript", "talk.jsonl")) as (reads, writes), ClientSession(reads, writes) as session:
            hello = await session.initialize()
            expect(hello.protocol_version == "2025-06-18" and hello.server_info.name == "recall" and "`search_history`" in hello.instructions, "initialize", hello)
            await session.send_ping()
            tools = (await session.list_tools()).tools
            expect([each.name for each in tools] == TOOLS[3:] and all(each.annotations.read_only_hint for each in tools), "list_tools", tools)
            found = text_of(await session.call_tool("search_history", {"query": "harbour master"}))
            expect(PLANT in found, "search_history", found)
            number, offset = (int(each or 0) for each in re.search(r"^message (\d+)(?:, offset (\d+))?:$", found, re.M).groups())
            expect(number == 3 * 41 + 2, "another message", found)
            page = text_of(await session.call_tool("read_message", {"number": number, "offset": offset}))
            expect(PLANT in page and page.startswith(f"read_message: message {number}, "), "read_message", page)
            expect("Do step 99." in text_of(await session.call_tool("recent_history", {"count": 3})), "recent_history")
            expect("300 entries" in text_of(await session.call_tool("list_sessions", {})), "list_sessions")
            write("talk.jsonl", claude(300, "Do step 100."), "a")
            expect("Do step 100." in text_of(await session.call_tool("read_message", {"number": 300})), "what was said meanwhile")
            wrong = await session.call_tool("read_message", {"number": 9_999})
            expect(wrong.is_error and "error: " in wrong.content[0].text, "an error of a tool", wrong)
            for call in (session.call_tool("no_such_tool", {}), session.list_resources()):
                try:
                    await call
                except MCPError:
                    continue
                expect(False, "what there is not has a result")

    asyncio.run(converse())

def its_newest_mode_falls_back(chosen):
    """The client first asks for a method of later versions."""
    write("talk.jsonl", talk())

    async def converse():
        async with Client(parameters(chosen, "--transcript", "talk.jsonl")) as client:
            expect([each.name for each in (await client.list_tools()).tools] == TOOLS[3:], "list_tools")
            expect(PLANT in text_of(await client.call_tool("search_history", {"query": "4711"})), "search_history")

    asyncio.run(converse())

def all_tools_on_a_journal_and_a_store(chosen):
    run(os.path.join(chosen.examples, "keep_originals"))

    async def converse():
        options = ("--journal", "sessions", "--store", "artifacts", "--conversation", "logs")
        async with stdio_client(parameters(chosen, *options)) as (reads, writes), ClientSession(reads, writes) as session:
            await session.initialize()
            expect([each.name for each in (await session.list_tools()).tools] == TOOLS, "list_tools")
            reference = text_of(await session.call_tool("list_artifacts", {})).split("\n")[1][:24]
            for tool, arguments, holds in [("read_artifact", {"reference": reference, "limit": 100}, reference), ("search_artifacts", {"query": "c" * 480}, "offset 0"),
                                           ("read_message", {"number": 0}, "Read log 0."), ("recent_history", {"before": 4}, "assistant: Nothing unusual."),
                                           ("search_history", {"query": "log 29"}, "Read log 29.")]:
                expect(holds in text_of(await session.call_tool(tool, arguments)), tool)

    asyncio.run(converse())

ALL = checks_in(globals(), "chosen")
