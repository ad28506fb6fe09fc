#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""reduce_file_test.py --program REDUCE_FILE: what the example writes, refuses and leaves alone."""

import json
import os
import re
import resource
import signal
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import arguments, checks_in, expect, in_folder, names_options, run, run_all

ODD = ('{ "model" : "m", "temperature":1.10,\n "messages": [\n  {"role":"user","content":"u"},\n'
       '  {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"id":12345678901234567890123,"f":1.10,"e":1e2}}]},\n'
       '  {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok \\u00e9 \\/"}]},\n'
       '  {"role":"assistant","content":"done"}],"top_k" :1E1}  ')

class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, given="", status=0, before=None):
        out, err = run([self.path, *arguments], given, status, before=before)
        if status == 2:
            expect(err.startswith("reduce_file: ") and err.count("\n") == 1 and out == "", f"{arguments}: no single line says what is wrong", out + err)
            expect(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err) is None, f"{arguments}: control characters", repr(err))
        return out, err

def path_in(root, name, text=None):
    path = os.path.join(root, name)
    if text is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return path

def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()

def long_conversation():
    messages = [{"role": "user", "content": "The task."}]
    for turn in range(40):
        messages.append({"role": "assistant", "content": f"answer {turn} " + "words " * 40})
        messages.append({"role": "user", "content": f"question {turn}"})
    return messages

def help_is_there(program, root):
    out, err = program.run("--help")
    names_options(out, "INPUT", "--window", "--mix", "--family", "--output", "--report", "--store", "--journal", "--conversation", "--shape", "--request")
    expect(err == "", "--help complains", err)

def wrong_usage_and_input_are_refused(program, root):
    good = path_in(root, "good.json", ODD)
    for arguments in [[], ["--fly", good], ["--window"], ["--window", "0", good], ["--window", "-1", good], ["--window", "many", good], ["--mix", "x", good],
                      ["--mix", "\x1b[2J", good], ["--family", "", good], ["--report", "xml", good], ["--shape", "cohere", good], [good, good], ["--output", "", good], ["--x\x1b", good],
                      ["-", "--journal", root]]:
        _, err = program.run(*arguments, status=2)
        expect("usage: reduce_file " in err, f"{arguments}: no usage", err)
    for path, reason in [(root, "Is a directory"), (os.path.join(root, "absent"), "No such file"), (path_in(root, "torn", "[{"), "parse_json"),
                         (path_in(root, "text", '"a"'), "messages"), (path_in(root, "number", "[1]"), "no object")]:
        _, err = program.run(path, status=2)
        expect(path in err and reason in err, f"{path} without {reason}", err)

def shapes_that_are_not_understood_are_errors(program, root):
    text = "words " * 5000
    shapes = {"cohere": [{"role": "user", "content": text}, {"role": "USER", "message": "hi"}],
              "near gemini": [{"role": "model", "parts": [{"toolThing": {"name": "f", "args": {}}}]}],
              "responses": [{"role": "user", "content": text}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "role": "assistant"}]}
    for name, messages in shapes.items():
        _, err = program.run(path_in(root, name, json.dumps(messages)), status=2)
        wrong = 0 if name == "near gemini" else 1
        expect(f"message {wrong} with members ({', '.join(messages[wrong])})" in err, f"{name}: the message is not named", err)
    for messages in ([{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}],
                     [{"role": "user", "content": "a"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]):
        given = json.dumps(messages)
        expect(program.run("-", given=given)[0] == given, "a shape that is read has other bytes", given)

def what_does_not_change_is_written_as_it_came(program, root):
    for text in [ODD, ODD.replace("\n", " "), json.dumps([{"role": "user", "content": "a"}]), "\ufeff[]", "[ ]\n"]:
        source = path_in(root, "in.json", text)
        expect(program.run(source)[0] == text, "standard output has other bytes", text)
        program.run(source, "--output", path_in(root, "out.json"))
        expect(read(path_in(root, "out.json")) == text, "the file has other bytes", text)
        expect(program.run("-", given=text)[0] == text, "standard input has become other bytes", text)

def messages_that_do_not_change_keep_their_spelling(program, root):
    messages = long_conversation()
    spelt = '{"role" : "user", "content":"keep \\u00e9", "weight": 1.10, "id":12345678901234567890123}'
    for lines in ("\n", ""):
        text = "[" + ("," + lines).join([*(json.dumps(m) for m in messages[:-1]), spelt]) + lines + "]" + lines
        out, _ = program.run(path_in(root, "in.json", text), "--window", "1000", "--mix", "window")
        expect(len(json.loads(out)) < len(messages), "nothing was reduced", out)
        expect(spelt in out, "a message that stays is spelt anew", out)
    out, _ = program.run("-", "--window", "1000", given='{"x":1.10,"messages":' + json.dumps(messages) + ',"y":1e2}')
    expect(out.startswith('{"x":1.10,"messages":[') and out.endswith(',"y":1e2}'), "members beside the messages are spelt anew", out)

def bodies_of_all_providers_keep_what_is_beside_the_messages(program, root):
    messages = long_conversation()
    parts = [{"role": "user" if m["role"] == "user" else "model", "parts": [{"text": m["content"]}]} for m in messages]
    for before, after, conversation, shape in [
            ('{"x":1.10,"messages":', ',"y":1e2}', messages, "anthropic"), ('{"x":1.10,"input":', ',"messages":"none"}', messages, "responses"),
            ('{"messages":{}, "contents":', "}", parts, "gemini"), ('{"a":[{}],"prompt":', "}", messages, "ai_sdk"),
            ('{"method":"sampling/createMessage","params":{"x":"]}","messages":', ',"maxTokens":9}}', messages, "openai")]:
        given = before + json.dumps(conversation) + after
        out, _ = program.run("-", "--window", "1000", "--shape", shape, given=given)
        expect(out.startswith(before) and out.endswith(after), "members beside the messages are spelt anew", out[:200] + " ... " + out[-200:])
        expect(len(json.loads(out[len(before):len(out) - len(after)])) < len(messages), "nothing was reduced", out)

def a_request_is_as_the_provider_takes_it(program, root):
    parts = [{"role": "user" if m["role"] == "user" else "model", "parts": [{"text": m["content"]}]} for m in long_conversation()]
    given = json.dumps({"contents": parts})
    kept = json.loads(program.run("-", "--window", "1000", given=given)[0])["contents"]
    sent = json.loads(program.run("-", "--window", "1000", "--request", given=given)[0])["contents"]
    expect(any("condense" in m for m in kept), "a conversation to go on with has marks", kept)
    expect(not any("condense" in m for m in sent), "a request has none", sent)
    roles = [m["role"] for m in sent]
    expect(all(one != other for one, other in zip(roles, roles[1:])) and len(roles) < len(parts), "roles alternate", roles)
    marked = json.loads(program.run("-", "--request", given=json.dumps({"contents": kept}))[0])["contents"]
    expect(not any("condense" in m for m in marked), "marks of an earlier run are erased", marked)

def a_shape_can_be_demanded(program, root):
    given = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    for shape in ("openai", "responses", "anthropic", "ai_sdk", "ollama", "pi"):
        expect(program.run("-", "--shape", shape, given=given)[0] == given, f"{shape}: not taken", given)
    for shape in ("gemini", "bedrock", "ai_sdk_ui", "mcp"):
        _, err = program.run("-", "--shape", shape, given=given, status=2)
        expect(f"it is of openai, responses, anthropic, ai_sdk, ollama or pi, not of {shape}" in err, f"{shape}: taken", err)

def an_output_keeps_its_mode_and_link(program, root):
    source = path_in(root, "in.json", json.dumps(long_conversation()))
    real = path_in(root, "real.json", "old")
    os.chmod(real, 0o640)
    link = os.path.join(root, "link.json")
    os.symlink("real.json", link)
    program.run(source, "--window", "1000", "--output", link)
    expect(os.path.islink(link) and os.readlink(link) == "real.json", "the link is gone")
    expect(stat.S_IMODE(os.stat(real).st_mode) == 0o640, "the mode is another", oct(os.stat(real).st_mode))
    expect(len(json.loads(read(real))) < 81, "it is not written")
    if os.geteuid() == 0:
        os.chown(real, 1234, 2345)
        program.run(source, "--window", "1000", "--output", real)
        expect((os.stat(real).st_uid, os.stat(real).st_gid) == (1234, 2345), "the owner is another")
    dangling = os.path.join(root, "dangling.json")
    os.symlink("later.json", dangling)
    program.run(source, "--output", dangling, before=lambda: os.umask(0o027))
    expect(os.path.islink(dangling) and os.path.exists(os.path.join(root, "later.json")), "a link to nothing is replaced")
    expect(stat.S_IMODE(os.stat(dangling).st_mode) == 0o640, "a new file has not the mode of new files")
    program.run(source, "--output", "/dev/null")
    expect(stat.S_ISCHR(os.stat("/dev/null").st_mode), "a device was replaced")
    program.run(source, "--window", "1000", "--output", source)
    expect(len(json.loads(read(source))) < 81, "the input can not be the output")

def nothing_else_is_written_or_left(program, root):
    source = path_in(root, "in.json", json.dumps(long_conversation()))
    kept = {name: path_in(root, name, "mine") for name in ("out.json.new", "out.json.tmp", ".out.json", "out.json~")}
    out = os.path.join(root, "out.json")
    program.run(source, "--output", out)
    expect(all(read(path) == "mine" for path in kept.values()), "another file was overwritten")
    before = sorted(os.listdir(root))
    for target in [root, os.path.join(root, "absent", "out.json"), os.path.join(source, "x")]:
        _, err = program.run(source, "--output", target, status=2)
        expect(target in err and "cannot be written: " in err, "neither path nor reason", err)
    old = read(out)

    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    _, err = program.run(source, "--output", out, status=2, before=small_files)
    expect("File too large" in err, "another reason", err)
    expect(read(out) == old and sorted(os.listdir(root)) == before, "a failure leaves something", os.listdir(root))

ALL = checks_in(globals(), "program", "root")


program = Program(arguments().program)
sys.exit(run_all("reduce_file_test", ALL, lambda check: in_folder(check, program)))
