# SPDX-License-Identifier: BSL-1.0
"""The example `recall_server` as a running process, and what it is to read."""

import json
import os
import queue
import re
import sqlite3
import subprocess
import threading

from checks import PATIENCE, expect
TOOLS = ["read_artifact", "list_artifacts", "search_artifacts", "read_message", "recent_history", "search_history", "list_sessions"]

class Server:
    def __init__(self, chosen, *options):
        self.child = subprocess.Popen([chosen.program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.log, self.next = queue.Queue(), b"", 0
        self.threads = [threading.Thread(target=each, daemon=True) for each in (self.read_answers, self.read_log)]
        for thread in self.threads:
            thread.start()

    def read_answers(self):
        for line in self.child.stdout:
            self.lines.put(line)

    def read_log(self):
        for line in self.child.stderr:
            self.log += line

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.child.kill()
            return
        self.end()

    def end(self):
        """Ends the input; all that was to be said has been heard."""
        self.child.stdin.close()
        status = self.child.wait(PATIENCE)
        for thread in self.threads:
            thread.join(PATIENCE)
        expect(status == 0, f"the server ends with status {status}", self.log.decode("utf-8", "replace"))
        expect(self.lines.empty(), "an answer that nobody asked for", list(self.lines.queue))
        expect(re.fullmatch(rb"(recall_server: [ -~]*\n)*", self.log), "what is logged", self.log)

    def send(self, line):
        """A line as bytes, or a message."""
        self.child.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.child.stdin.flush()

    def answer(self):
        try:
            line = self.lines.get(timeout=PATIENCE)
        except queue.Empty:
            expect(False, "no answer", self.log.decode("utf-8", "replace"))
        expect(line.endswith(b"\n"), "an answer without its end", line)
        found = json.loads(line.decode("utf-8"))
        for each in found if isinstance(found, list) else [found]:
            expect(each["jsonrpc"] == "2.0" and set(each) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), "an answer of another form", each)
        return found

    def ask(self, method, params=None, **more):
        """The result; an error is a failure."""
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, **({} if params is None else {"params": params}), **more})
        found = self.answer()
        expect(found["id"] == self.next and "result" in found, f"no result of {method} {params}", found)
        return found["result"]

    def refused(self, line):
        """The code of the error that answers a line, and the id."""
        self.send(line)
        found = self.answer()
        expect("error" in found and isinstance(found["error"]["message"], str), f"no error for {line[:200] if isinstance(line, bytes) else line}", found)
        return found["error"]["code"], found["id"]

    def call(self, tool, is_error=False, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        expect(result["isError"] == is_error, f"{tool} {arguments}: isError is {result['isError']}", result)
        expect(len(result["content"]) == 1 and set(result["content"][0]) == {"type", "text"} and result["content"][0]["type"] == "text", "the content", result)
        return result["content"][0]["text"]

    def tools(self):
        return [each["name"] for each in self.ask("tools/list")["tools"]]

    def peak(self):
        """The most memory that it had, in bytes; 0 where the system does not say."""
        try:
            with open(f"/proc/{self.child.pid}/status") as file:
                return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024
        except OSError:
            return 0

def request(method, params=None, key=1):
    return {"jsonrpc": "2.0", "id": key, "method": method, **({} if params is None else {"params": params})}

def claude(number, content, role="user"):
    """A line of a session as Claude Code writes it."""
    return json.dumps({"parentUuid": f"u{number}", "isSidechain": False, "cwd": "/work", "sessionId": "s", "type": role,
                       "message": {"role": role, "content": content}, "uuid": f"v{number}", "timestamp": "2026-02-03T04:05:06.789Z"}, ensure_ascii=False) + "\n"

def codex(payload, kind="response_item"):
    """A line of a session as Codex writes it."""
    return json.dumps({"timestamp": "2026-02-03T04:05:06.789Z", "type": kind, "payload": payload}) + "\n"

def write(path, text, mode="w"):
    with open(path, mode + "b") as file:
        file.write(text if isinstance(text, bytes) else text.encode())

def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)

def fields_of(text):
    """Of a file of a source: netstrings."""
    fields = []
    while text:
        size, rest = text.split(b":", 1)
        fields.append(rest[:int(size)])
        text = rest[int(size) + 1:]
    return fields

def artifacts_to_database(folder, path):
    """The same artifacts as sqlite_store keeps them."""
    with sqlite3.connect(path) as to:
        to.executescript(f"PRAGMA application_id = {0x636E6131}; PRAGMA user_version = 1;"
                         "CREATE TABLE artifact (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, content BLOB NOT NULL);"
                         "CREATE TABLE source (artifact INTEGER NOT NULL, conversation BLOB NOT NULL, tool BLOB NOT NULL, call BLOB NOT NULL, type BLOB NOT NULL,"
                         " time INTEGER NOT NULL, PRIMARY KEY (artifact, conversation)) WITHOUT ROWID;")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                content = file.read()
            digest = bytes.fromhex(name[:24])
            if len(name) == 24:
                to.execute("INSERT INTO artifact (name, content) VALUES (?, ?)", (digest, content))
            else:
                *texts, time, _ = fields_of(content)
                to.execute("INSERT INTO source SELECT id, ?, ?, ?, ?, ? FROM artifact WHERE name = ?", (*texts, int(time), digest))

def journal_to_database(conversation, file, path):
    """The same entries as sqlite_journal keeps them."""
    with sqlite3.connect(path) as to:
        to.executescript(f"PRAGMA application_id = {0x636E6A31}; PRAGMA user_version = 1;"
                         "CREATE TABLE IF NOT EXISTS conversation (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);"
                         "CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, number INTEGER NOT NULL, made INTEGER NOT NULL,"
                         " name BLOB NOT NULL, content BLOB NOT NULL, time INTEGER NOT NULL);"
                         "CREATE VIRTUAL TABLE IF NOT EXISTS entry_words USING fts5 (words, content = '', tokenize = 'unicode61');")
        to.execute("INSERT INTO conversation (name) VALUES (?)", (conversation.encode(),))
        with open(file, encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line) if line != "\n" else {"made": True}
                if "made" in entry:
                    continue
                content = entry["text"] if "text" in entry else re.search(r'"message":(.*)\}$', line)[1]
                row = to.execute("INSERT INTO entry (conversation, number, made, name, content, time) SELECT id, ?, 0, ?, ?, 1769904000 FROM conversation WHERE name = ?",
                                 (entry["number"], bytes.fromhex(entry["name"]), content.encode(), conversation.encode())).lastrowid
                to.execute("INSERT INTO entry_words (rowid, words) VALUES (?, ?)", (row, content))
