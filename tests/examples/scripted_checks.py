# SPDX-License-Identifier: BSL-1.0
"""The example `chat` with its own model: options, tools, reductions, commands, a terminal."""

import json
import os
import re
import signal
import socket
import stat
import threading

from checks import checks_in, expect, names_options
from talk import figures

SENTINEL = "outside-8c1f"

def folder_in(root):
    """A folder with some files, beside what must stay unseen."""
    folder = os.path.join(root, "folder")
    os.makedirs(os.path.join(folder, "sub", "deep"))
    write(folder, "notes.txt", "alpha\nbeta needle\ngamma\n")
    write(folder, "sub/deep/more.txt", "one\ntwo needle\n")
    write(root, "secret.txt", SENTINEL + "\n")
    os.makedirs(os.path.join(root, "folder-too"))
    write(root, "folder-too/secret.txt", SENTINEL + "\n")
    return folder

def write(root, name, content):
    with open(os.path.join(root, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())

def help_is_there(chat, root, folder):
    names_options(chat.run(["--help"], []), "FOLDER", "--endpoint", "--model", "--window", "--state", "--timeout", "--no-stream", "--script")

def refuses_bad_options(chat, root, folder):
    state = os.path.join(root, "state")
    write(root, "state", "[{\"role\":")
    bad = [[], [folder, folder], ["--window"], ["--window", "many", folder], ["--window", "0", folder], ["--window", "-5", folder],
           ["--window", "99999999999999999999999", folder], ["--window", "\x1b[2J", folder], ["--state", "", folder], ["--fly", "x", folder],
           ["--timeout", "0", folder], ["--script", "other", folder], [os.path.join(root, "nowhere")], [os.path.join(folder, "notes.txt")],
           ["--state", state, folder], ["--state", root, folder], ["--endpoint", "ftp://127.0.0.1/", folder],
           ["--endpoint", "http://127.0.0.1/", "--script", "overflow", folder]]
    for arguments in bad:
        said = chat.run(arguments, ["hello"], status=2)
        expect(said.startswith("chat: ") and "usage: chat " in said, f"no reason for {arguments}", said)
    with open(state, encoding="utf-8") as file:
        expect(file.read() == "[{\"role\":", "a state that cannot be read was overwritten")

def lists_reads_and_searches(chat, root, folder):
    out = chat.run([folder], ["list", "list sub", "read notes.txt", 'call read {"file":"notes.txt","first":2,"last":2}', "search needle",
                              "hello there", "", "/tokens", "/help", "/fly", "/quit", "never said"])
    for wanted in ["notes.txt (24 bytes)", "sub/", "deep/", "The tool gave 3 lines: alpha", "The tool gave 1 line: beta needle",
                   "notes.txt:2: beta needle", "sub/deep/more.txt:2: two needle", "You said: hello there", "/compact", "unknown command /fly",
                   "the provider counted"]:
        expect(wanted in out, f"missing: {wanted}", out)
    expect("never said" not in out, "it goes on after /quit", out)
    expect(len(figures(out)) == 6, "a status line for each turn", out)

def never_leaves_the_folder(chat, root, folder):
    secret = os.path.join(root, "secret.txt")
    os.symlink(secret, os.path.join(folder, "link.txt"))
    os.symlink("../secret.txt", os.path.join(folder, "sub", "near.txt"))
    os.symlink("../..", os.path.join(folder, "sub", "up"))
    os.symlink("/", os.path.join(folder, "all"))
    os.symlink("notes.txt", os.path.join(folder, "inner.txt"))
    os.mkfifo(os.path.join(folder, "pipe"))
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(folder)  # the path of a socket must be short
    listener.bind("socket")
    os.chdir(here)
    try:
        os.mknod(os.path.join(folder, "zeros"), stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except OSError:
        print("      (no device could be made here)")
    relative = ["../secret.txt", "../folder-too/secret.txt", "sub/../../secret.txt", "sub/deep/../../../secret.txt", "./../secret.txt",
                "sub//..//..//secret.txt", "link.txt", "sub/near.txt", "sub/up/secret.txt", "sub/up", "all" + secret, "all", "pipe", "socket",
                "zeros", "inner.txt", "notes.txt/../../secret.txt", "..", "/", "", ".", "sub", "~/secret.txt", "x" * 5000, "a/" * 3000 + "b"]
    lines = []
    for path in [secret, "/etc/hostname", *relative]:
        quoted = path.replace('"', '\\"')
        for tool, key in [("read", "file"), ("list", "folder")]:
            lines.append(f'call {tool} {{"{key}":"{quoted}"}}')
        lines.append(f'call search {{"text":"8c1f","folder":"{quoted}"}}')
    lines += ["search 8c1f", 'call read {"file":"notes.txt\\u0000/../../secret.txt"}', 'call read {"file":"\\u002e\\u002e/secret.txt"}',
              'call read {"file":"..\\/secret.txt"}', 'call read {"file":["../secret.txt"]}', 'call read {"file":null}']
    out = chat.run(["--window", "100000", folder], lines)
    expect(SENTINEL not in out, "what is outside was read", out)
    expect("secret.txt (" not in out and "folder-too" not in re.sub(r"'[^']*'|\[.*\]", "", out), "what is outside was listed", out)
    reads = re.findall(r"The tool gave.*?(?=\n\[\d)", out, re.S)
    expect(len(reads) == len(lines), f"{len(reads)} results of {len(lines)} calls", out)
    good = [each for each in reads if "error:" not in each]
    # '.' and '' are the folder itself, 'sub' is in it.
    expect(all("notes.txt (24 bytes)" in each or "deep/" in each or "nothing found" in each for each in good),
           "an escape was no error", "\n".join(good))
    for why, least in [("links are not followed", 8), ("must be relative to the folder", 8), ("'..' is not allowed", 20), ("it is no regular file", 5),
                       ("it is no folder", 4)]:
        expect(sum(why in each for each in reads) >= least, f"fewer than {least} answers say: {why}", out)

def never_leaves_it_while_names_change(chat, root, folder):
    os.makedirs(os.path.join(folder, "swap"))
    write(folder, "swap/secret.txt", "harmless\n")
    over = threading.Event()

    def swap():
        swapped, aside = os.path.join(folder, "swap"), os.path.join(folder, "aside")
        while not over.is_set():
            os.rename(swapped, aside)
            os.symlink("../folder-too", swapped)
            os.remove(swapped)
            os.rename(aside, swapped)

    other = threading.Thread(target=swap)
    other.start()
    try:
        out = ""
        for _ in range(10):  # on few cores one thread may not run while the other does
            out += chat.run(["--window", "4000", folder], ["read swap/secret.txt", "list swap", "search 8c1f"] * 150)
            if "harmless" in out and "links are not followed" in out:
                break
    finally:
        over.set()
        other.join()
    expect(SENTINEL not in out, "what is outside was read while names change", out)
    expect("harmless" in out and "links are not followed" in out, "the race did not take place", out)

def takes_hostile_calls(chat, root, folder):
    write(folder, "binary", bytes(range(256)) * 100)
    write(folder, "latin", b"caf\xe9 \xff\xfe\n")
    write(folder, "screen", "\x1b]0;owned\x07\x1b[2Jred\r\x9b31m\u202eevil\x7f\n")
    write(folder, "long", b"x" * (3 << 20))
    write(folder, "empty", b"")
    with open(os.path.join(folder, "huge"), "wb") as file:
        file.truncate(1 << 40)  # takes no room
    write(folder, b"n\x1b[1m\xff\nname".decode("utf-8", "surrogateescape"), b"text\n")
    calls = ["fly {}", "\x1b[5m {}", "read", "read {", "read []", "read 7", 'read "notes.txt"', "read {}", 'read {"file":7}', "read " + "[" * 20000,
             'read {"file":"notes.txt","first":0}', 'read {"file":"notes.txt","first":-1}', 'read {"file":"notes.txt","first":1e300}',
             'read {"file":"notes.txt","first":3,"last":2}', 'read {"file":"notes.txt","first":99999999999999999999}',
             'read {"file":"notes.txt","first":18446744073709551615}', 'read {"file":"binary"}', 'read {"file":"huge"}', 'read {"file":"nowhere"}',
             'list {"folder":7}', "search {}", 'search {"text":""}', 'search {"text":"a\\nb"}', 'search {"text":["x"]}',
             'read {"file":"\\ud800"}', 'read {"file":"\\u001b[2J"}']
    out = chat.run(["--window", "100000", folder], [f"call {each}" for each in calls])
    answers = re.findall(r"^The tool gave 1 line: error: ", out, re.M)
    # "call read" alone is an echo.
    expect(len(answers) == len(calls) - 1, f"{len(answers)} errors of {len(calls) - 1} calls", out)
    out = chat.run(["--window", "100000", folder], ["read latin", "read screen", "read long", "read empty", "list", "search red", "search x", b"\x1b[31m\xff\x00 hi"])
    for wanted in ["caf\ufffd", "\\x1B]0;owned", "\\u202Eevil", "\\x9B31m", "the file is empty", "huge (1099511627776 bytes)", "n\\x1B[1m"]:
        expect(wanted in out, f"missing: {wanted}", out)
    expect('[read {"file":"long"}: 262' in out, "a long line is cut", out)
    chat.run([folder], [b"y" * 3_000_000, "/" + "z" * 100_000, "/pin " + "9" * 100, "/pin -1", "/pin \x1b", "/save /nowhere/\x1b", "/save"])

def stays_in_the_window(chat, root, folder):
    write(folder, "numbers", "".join(f"{each}\n" for each in range(20000)))
    kept = "remember this: " + "pelican " * 60 + "pinned-end"
    lost = "and this: " + "heron " * 60 + "free-end"
    lines = ["the first message is kept anyway", kept, "/pin", lost] + ["read numbers", "search needle", "list sub"] * 25 + ["count pinned-end", "count free-end", "/tokens"]
    out = chat.run(["--window", "4000", folder], lines)
    numbers = figures(out)
    expect(all(used <= limit for used, limit in numbers), "the window was exceeded", str(numbers))
    expect(any(after[0] < before[0] for before, after in zip(numbers, numbers[1:])), "nothing was reduced", str(numbers))
    answers = re.findall(r"Of the messages before, (\d+) of (\d+) hold it", out)
    expect(len(answers) == 2 and answers[0][0] == "1", "the pinned message is sent", out)
    expect(answers[1][0] == "0", "the message that is not pinned went", out)
    sent, all_of_them = re.search(r"used by (\d+) messages in \d+ turns; (\d+) messages are kept", out).groups()
    expect(int(sent) < int(all_of_them), "all messages are kept, few are sent", out)

def compacts_and_undoes(chat, root, folder):
    write(folder, "numbers", "".join(f"{each}\n" for each in range(700)))
    out = chat.run(["--window", "4000", folder], ["read numbers"] * 9 + ["/compact"])
    expect("summarize" in out and "sliding_window" in out, "a report", out)
    expect("there is nothing to take back" in chat.run([folder], ["/undo"]), "nothing to undo")
    # The tokens before and after /undo, both by estimate: the first one ends what the model has reported.
    out = chat.run(["--window", "4000", folder], ["read numbers"] * 9 + ["/undo", "/tokens", "/undo", "/tokens"])
    used = [int(each) for each in re.findall(r"^(\d+) of \d+ tokens are used", out, re.M)]
    expect(len(used) == 2 and used[1] > used[0] and "taken back" in out, "an undo brings tokens back", out)

def saves_and_goes_on(chat, root, folder):
    state = os.path.join(root, "state.json")
    mine = os.path.join(root, "mine.json")
    out = chat.run(["--state", state, folder], ["the pelican flies", "list", "/save " + mine, "/save"])
    expect(out.count("saved\n") == 3, "saved by command, twice, and at the end", out)
    for path in [state, mine]:
        expect(stat.S_IMODE(os.stat(path).st_mode) == 0o600, "the state is its owner's alone")
    for path in [state, mine]:
        out = chat.run(["--state", path, folder], ["count pelican", "/tokens"])
        expect("Of the messages before, 2 of 7 hold it." in out, "the conversation goes on", out)
    expect(sorted(os.listdir(root)) == ["folder", "folder-too", "mine.json", "secret.txt", "state.json"], "nothing is left behind", str(os.listdir(root)))
    os.symlink(os.path.join(root, "secret.txt"), os.path.join(root, "linked"))
    chat.run(["--state", os.path.join(root, "linked"), folder], [], status=2)
    out = chat.run([folder], ["/save", "/save " + os.path.join(root, "nowhere", "x"), "hello"])
    expect("a file is wanted" in out and "You said: hello" in out, "a failed save ends nothing", out)

def recovers_from_an_overflow(chat, root, folder):
    write(folder, "numbers", "".join(f"{each}\n" for each in range(2000)))
    for more in [[], ["--no-stream"]]:
        out = chat.run(["--script", "overflow", "--window", "20000", *more, folder], ["read numbers"] * 6 + ["the last words"])
        expect(out.count("[recovered from: This model's maximum context length is ") == 1, "one recovery", out)
        expect("[no answer" not in out and out.count("The tool gave") == 6 and out.count("You said: the last words") == 1, "all is answered", out)

def talks_on_a_terminal(chat, root, folder):
    write(folder, "screen", "\x1b]0;owned\x07\x1b[2J\r\n")
    out, status = chat.on_terminal([folder], [b"hello", b"read screen", b"search needle", b"/pin", b"/compact", b"/undo", b"/tokens"])
    expect(status == 0, f"exit status {status}", out)
    for wanted in ["\r\n> ", "You said: hello", "\\x1B]0;owned\\x07", "notes.txt:2: beta needle", "is pinned", "sliding_window"]:
        expect(wanted in out, f"missing: {wanted}", out)
    out, status = chat.on_terminal([folder], [b"/quit"])
    expect(status == 0 and out.count("> ") == 1, "/quit ends", out)

def shows_reductions_and_turns(chat, root, folder):
    write(folder, "numbers", "".join(f"{each}\n" for each in range(2000)))
    out = chat.run(["--window", "4000", folder], ["/turn"] + ["read numbers"] * 12 + ["/turn", "/compact"])
    shown = re.findall(r"^\[reduced: .*\]$", out, re.M)
    expect(shown and all(re.search(r"[\d,]+ -> [\d,]+ of [\d,]+ tokens", each) for each in shown), "reductions are not shown, a line each", out)
    expect("no turn yet" in out and re.search(r"^turn 12: [\d,]+ in, [\d,]+ out, [\d,]+ total.*; average [\d,]+$", out, re.M), "/turn has no line", out)

def reads_what_is_stored(chat, root, folder):
    write(folder, "numbers", "".join(f"{each}\n" for each in range(2000)))
    state = os.path.join(root, "state")
    out = chat.run(["--window", "4000", "--state", state, folder], ["read numbers"])
    reference = re.search(r"the whole is stored as ([0-9a-f]{24})", history(state))
    expect(reference, "nothing was stored", out)
    name = reference.group(1)
    out = chat.run(["--state", state, folder], [f"/stored {name}", "/stored 00", "/stored " + "0" * 24])
    expect("\n1\n2\n" in out and "\n1998\n1999\n" in out, "the whole is not shown", out[:500])
    expect(out.count("/stored: the reference of a stored original is wanted") == 2, "what is not stored is no complaint", out[-500:])
    piece = lambda more: chat.run(["--state", state, folder], ["call stored " + json.dumps({"reference": name, **more})])
    expect("The tool gave" in piece({}) and "0\n1\n2\n" in piece({}).replace("\\n", "\n"), "the model reads no piece", piece({}))
    expect("1998" in piece({"from": 8870}), "nor a later one", piece({"from": 8870}))
    for wrong in [{"reference": 5}, {"reference": "x"}, {"from": -1}, {"from": "a"}]:
        expect("The tool gave 1 line: error: " in piece(wrong), f"{wrong} is no error", piece(wrong))

def finds_and_restores_what_has_left(chat, root, folder):
    state = os.path.join(root, "state")
    write(folder, "numbers", "".join(f"{each}\n" for each in range(2000)))
    talk = ["remember the word halcyon"] + ["read numbers"] * 12 + ["/compact"]
    out = chat.run(["--window", "4000", "--state", state, folder], talk + ["/find halcyon", "/find qwertz", "/read 1", "/read 999", "/read x"])
    expect(re.search(r"^message 1, .*:\nuser: remember the word halcyon$", out, re.M), "/find does not find it", out[-1500:])
    expect("nothing holds any of these words" in out and ", 32 bytes, from 0:\nuser: remember the word halcyon\n\n[the end]\n" in out, "/read does not read it", out[-1500:])
    expect(out.count("error: there is no message of this number") == 1 and "error: number must be a whole number" in out, "wrong numbers are no errors", out[-600:])
    out = chat.run(["--state", state, folder], ["/restore 3", "/restore 3", "/restore 999", "/restore x", "/find halcyon"])
    expect(out.count("it is sent again\n") == 1 and out.count("nothing is restored: gone\n") == 2, "/restore does not restore it once", out)
    expect("/restore: the number of a message or a reference is wanted" in out and "user: remember the word halcyon" in out, "nor after a restart", out)
    out = chat.run(["--window", "4000", folder], ["remember halcyon", 'call search_history {"query":"halcyon"}', 'call read_message {"number":1}'])
    expect(out.count("The tool gave") == 2 and "error" not in out, "the model cannot look it up", out)

def history(state):
    with open(state, encoding="utf-8") as file:
        return file.read()

def keeps_the_window_that_is_asked_for(chat, root, folder):
    state = os.path.join(root, "state")
    most = lambda out: figures(out)[-1][1]
    first = most(chat.run(["--window", "8000", "--state", state, folder], ["hello"]))
    expect(most(chat.run(["--state", state, folder], ["hello"])) == first, "without --window it is that of the state")
    expect(most(chat.run(["--window", "16000", "--state", state, folder], ["hello"])) > 1.8 * first, "--window is not applied")
    expect(most(chat.run(["--window", "4000", "--state", state, folder], ["hello"])) < 0.6 * first, "nor where it is less")

def makes_no_folders(chat, root, folder):
    before = sorted(os.listdir(root))
    out = chat.run([folder], ["hello", "/save " + os.path.join(root, "new", "state"), "/save " + os.path.join(root, "a", "b", "c")])
    expect(out.count("there is no such folder") == 2, "no reason is given", out)
    chat.run(["--state", os.path.join(root, "new", "state"), folder], [], status=2)
    expect(sorted(os.listdir(root)) == before, "a folder was made", os.listdir(root))

def saves_when_it_is_interrupted(chat, root, folder):
    for number in (signal.SIGINT, signal.SIGTERM):
        state = os.path.join(root, f"state{int(number)}")
        child = chat.start(["--state", state, folder])
        child.stdin.write(b"remember the needle\n")
        child.stdin.flush()
        seen = b""
        while b"tokens" not in seen:
            seen += os.read(child.stdout.fileno(), 4096)
        child.send_signal(number)
        rest, _ = child.communicate(timeout=60)
        expect(child.returncode == 0 and b"saved" in rest, f"status {child.returncode}", rest)
        expect("remember the needle" in history(state), "what was said is lost")

ALL = checks_in(globals(), "chat", "root", "folder")
