# SPDX-License-Identifier: BSL-1.0
"""Agent programs as people have them, through the example `proxy`: a loop of calls with a provider that judges each request."""

import asyncio
import json
import os
import shutil
import subprocess

from checks import effort, expect
from fake_provider import KEY, Provider
from proxy_talk import Proxy, plain

TURNS, WINDOWS = 60, (32_000, 64_000) if effort() >= 100 else (32_000,)
QUESTION, SYSTEM = "Look at all the files, step by step.", "You look at files."

def read_file(path: str, line: int) -> str:
    """Reads a file."""
    return "\n".join(f"{path}:{line + at}: value_{line}_{at} = {line * at + 7}" for at in range(80))

def search(path: str, line: int) -> str:
    """Looks for a file."""
    return f"{path} has {line} lines."

def by_agents(model):
    import agents
    import openai
    os.environ["OPENAI_API_KEY"] = KEY
    agents.set_tracing_disabled(True)

    def run(base):
        there = openai.AsyncOpenAI(base_url=base + "/v1", api_key=KEY)
        one = agents.Agent(name="reader", instructions=SYSTEM, tools=[agents.function_tool(each) for each in (read_file, search)], model=getattr(agents, model)("gpt-4o", there))
        return asyncio.run(agents.Runner.run(one, QUESTION, max_turns=200)).final_output
    return run

def by_pydantic(name):
    import anthropic
    import openai
    import pydantic_ai
    import pydantic_ai.models.anthropic
    import pydantic_ai.models.openai
    import pydantic_ai.providers.anthropic
    import pydantic_ai.providers.openai

    def run(base):
        if name == "chat":
            there = pydantic_ai.providers.openai.OpenAIProvider(openai_client=openai.AsyncOpenAI(base_url=base + "/v1", api_key=KEY))
            model = pydantic_ai.models.openai.OpenAIChatModel("gpt-4o", provider=there)
        else:
            there = pydantic_ai.providers.anthropic.AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(base_url=base, api_key=KEY))
            model = pydantic_ai.models.anthropic.AnthropicModel("claude-opus-5-5", provider=there)
        one = pydantic_ai.Agent(model, instructions=SYSTEM, tools=[read_file, search])
        return asyncio.run(one.run(QUESTION, usage_limits=pydantic_ai.UsageLimits(request_limit=200))).output
    return run

def by_langchain(name):
    from langchain_core import messages, tools
    import langchain_anthropic
    import langchain_openai

    def run(base):
        if name == "chat":
            model = langchain_openai.ChatOpenAI(model="gpt-4o", base_url=base + "/v1", api_key=KEY, stream_usage=True)
        else:
            model = langchain_anthropic.ChatAnthropic(model="claude-opus-5-5", base_url=base, api_key=KEY)
        known = {each.__name__: tools.tool(each) for each in (read_file, search)}
        model = model.bind_tools(list(known.values()))
        history = [messages.SystemMessage(SYSTEM), messages.HumanMessage(QUESTION)]
        while True:
            answer = None
            for chunk in model.stream(history):
                answer = chunk if answer is None else answer + chunk
            history.append(answer)
            if not answer.tool_calls:
                return str(answer.text)
            history += [messages.ToolMessage(known[call["name"]].invoke(call["args"]), tool_call_id=call["id"]) for call in answer.tool_calls]
    return run

def by_node(folder, way):
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "agents.mjs"), folder)  # where it finds its packages
    return lambda base: subprocess.run(["node", os.path.join(folder, "agents.mjs"), way, base, KEY], capture_output=True, timeout=300, text=True, check=True).stdout

def loop(program, name, run, window, thinks):
    with Provider(window=10**9) as provider, Proxy(program, provider.url, "--window", str(window)) as proxy:
        provider.turns, provider.counts, provider.thinks = TURNS, True, thinks
        answer = run(proxy.url)
        expect(not provider.wrong and provider.unbound == 0, f"{name}: the provider refuses requests", (provider.wrong[:3], provider.unbound))
        expect("is done" in str(answer), f"{name}: it does not come to its end", str(answer)[-500:] + proxy.log)
        expect(len(provider.accepted) == TURNS + 1, f"{name}: {len(provider.accepted)} requests")
        member = "input" if "input" in provider.accepted[0] else "messages"
        asked = [request[member] if isinstance(request[member], list) else [request[member]] for request in provider.accepted]
        asked = [plain(each) if member == "messages" else [json.dumps(item) for item in each] for each in asked]
        breaks = sum(after[:len(before)] != before for before, after in zip(asked, asked[1:]))
        print(f"      {name}, window {window:,}: {len(asked)} requests, the largest {max(provider.sizes):,} tokens, {breaks} begin in another way", flush=True)
        expect(max(provider.sizes) <= window, f"{name}: a request of {max(provider.sizes)} tokens")
        expect(breaks * 5 <= len(asked), f"{name}: {breaks} of {len(asked)} requests begin in another way")

def checks_with(node_folder):
    """The checks, at little effort every second one; without a folder those of Python."""
    ways = {"OpenAI Agents, Responses": (lambda: by_agents("OpenAIResponsesModel"), False), "OpenAI Agents, chat": (lambda: by_agents("OpenAIChatCompletionsModel"), False),
            "Pydantic AI, Anthropic": (lambda: by_pydantic("anthropic"), True), "Pydantic AI, chat": (lambda: by_pydantic("chat"), False),
            "LangChain, chat": (lambda: by_langchain("chat"), False), "LangChain, Anthropic": (lambda: by_langchain("anthropic"), True)}
    for way in ("AI SDK, Anthropic", "AI SDK, chat", "pi, chat", "pi, Anthropic", "AI SDK, Responses") if node_folder else ():
        ways[way] = (lambda way=way: by_node(node_folder, way), "Anthropic" in way)

    def named(name, make, thinks):
        def check(program):
            for window in WINDOWS:
                loop(program, name, make(), window, thinks)
        check.__name__ = name
        return check
    return [named(name, *way) for name, way in ways.items()][::1 if effort() >= 100 else 2]
