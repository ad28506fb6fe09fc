# SPDX-License-Identifier: BSL-1.0
"""Made-up conversations, and the program `replay` run on them."""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from checks import expect

PATIENCE = 300  # seconds for one run; a sanitized build on a busy machine is slow
ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSION = ROOT / "examples" / "data" / "session.json"
MIXES = re.findall(r"^    named\{\s*\"(\w+)\"", (ROOT / "benchmarks" / "mix" / "mixes.hpp").read_text(encoding="utf-8"), re.M)

# What would be markup, script or an escape sequence if anything let it through.
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>\"'&amp;\u202e${x}`"


def hostile_path(folder, beside=""):
    """A file whose path holds all of it: the slash comes from a folder."""
    before, after = HOSTILE.split("/")
    inner = pathlib.Path(folder) / (beside + before)
    inner.mkdir(exist_ok=True)
    return inner / (after + ".json")


def conversation(rounds, seed=0, said=""):
    """Messages in OpenAI chat shape; answers name what results have said."""
    messages = [{"role": "user", "content": f"Mend build {seed}. {said}"}]
    for at in range(rounds):
        name = f"module_{seed}_{at}.cpp"
        call = {"id": f"c{at}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": name})}}
        lines = [f"int value_{line}_{at} = {seed * 7919 + line * 31 + at};" for line in range(60)]
        messages += [{"role": "assistant", "content": "", "tool_calls": [call]},
                     {"role": "tool", "tool_call_id": f"c{at}", "content": "\n".join(lines) + said},
                     {"role": "assistant", "content": f"I have seen `value_3_{at}` in {name}, and value_1_0 before. {said}"},
                     {"role": "user", "content": "Go on."}]
    return messages


def write_lines(path, count, rounds=4, others=()):
    """A conversation a line; `others` are lines by number, from 1, in between."""
    others = dict(others)
    with open(path, "wb") as file:
        for line in range(1, count + len(others) + 1):
            text = others[line] if line in others else json.dumps({"messages": conversation(rounds + line % 5, line)}).encode()
            file.write(text + b"\n")


def run(program, arguments, status=0, environment=None):
    """Gives what was printed to standard output and to standard error."""
    done = subprocess.run([program, *map(os.fspath, arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE,
                          env={**os.environ, **(environment or {})}, check=False)
    output, errors = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")  # strict: ill-formed bytes are an error
    expect(done.returncode == status, f"ended with {done.returncode}, not {status}: {arguments}", output + errors)
    for text in (output, errors):
        bad = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)
        expect(bad is None, f"a control character reached the output: {bad and repr(bad.group())}", repr(text))
    return output, errors


def report(program, folder, arguments, status=0, environment=None):
    """Gives what was printed, and the JSON."""
    path = pathlib.Path(folder) / "report.json"
    output, errors = run(program, ["--json", path, *arguments], status, environment)
    return output, errors, json.loads(path.read_text(encoding="utf-8"))
