# SPDX-License-Identifier: BSL-1.0
"""Runs the example `chat` through a pipe or a pseudo-terminal and looks at what it prints."""

import os
import pty
import re
import select
import subprocess
import termios
import time

from checks import PATIENCE, expect, no_controls, run

def only_text(output, beside="\n"):
    return no_controls(output.decode("utf-8"), beside)  # strict: ill-formed bytes are an error

class Chat:
    def __init__(self, program, environment=None):
        self.program = program
        self.environment = {**os.environ, "no_proxy": "*", "OPENAI_API_KEY": "", **(environment or {})}

    def run(self, arguments, lines, status=0):
        """Says the lines through a pipe; gives what was printed."""
        said = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
        output, errors = map(no_controls, run([self.program, *arguments], said, status, self.environment))
        return errors if status == 2 else output

    def start(self, arguments):
        return subprocess.Popen([self.program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment)

    def on_terminal(self, arguments, lines):
        """Says the lines on a terminal, each after a prompt; gives what was printed and the exit status."""
        master, slave = pty.openpty()
        quiet = termios.tcgetattr(slave)
        quiet[3] &= ~termios.ECHO  # what is seen is the program's alone
        termios.tcsetattr(slave, termios.TCSANOW, quiet)
        child = subprocess.Popen([self.program, *arguments], stdin=slave, stdout=slave, stderr=slave, env=self.environment,
                                 start_new_session=True)
        os.close(slave)
        seen, left, until = b"", list(lines), time.monotonic() + PATIENCE
        prompts = 0
        try:
            while True:
                ready = select.select([master], [], [], 1)[0]
                expect(time.monotonic() < until, "the program does not end on a terminal", repr(seen))
                if ready:
                    try:
                        more = os.read(master, 65536)
                    except OSError:  # its other end is closed
                        break
                    if not more:
                        break
                    seen += more
                elif child.poll() is not None:
                    break
                if seen.endswith(b"> ") and seen.count(b"\n> ") > prompts:
                    prompts = seen.count(b"\n> ")
                    os.write(master, left.pop(0) + b"\n" if left else b"\x04")
            return only_text(seen, "\r\n"), child.wait(PATIENCE)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
            os.close(master)

def figures(output):
    """The tokens that each status line says are used, and the most that may be: its first two numbers."""
    lines = re.findall(r"^\[[\d,]+ of [\d,]+ tokens\b[^\]\n]*\]$", output, re.M)
    expect(lines, "there is no status line", output)
    return [tuple(int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", line)[:2]) for line in lines]
