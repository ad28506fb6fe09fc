# SPDX-License-Identifier: BSL-1.0
"""Programs that a benchmark installs or measures: what they print, or in a line why they failed."""

import pathlib
import subprocess


class Failed(Exception):
    pass


def run(command, limit, **more):
    """What it printed. `limit` is in seconds."""
    said = " ".join(pathlib.Path(str(each)).name if str(each).startswith("/") else str(each) for each in command)
    try:
        done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=limit, stdin=subprocess.DEVNULL, **more)
    except subprocess.TimeoutExpired:
        raise Failed(f"`{said}`: more than {limit} s") from None
    except OSError as error:
        raise Failed(f"`{said}`: {error.strerror}") from None
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        told = [line for line in lines if ("error" in line.lower() or "!!!" in line) and "complete log" not in line]
        told = [line for line in told if "No matching" in line] or told or lines or [f"exit code {done.returncode}"]
        raise Failed(f"`{said}`: {told[-1][:200]}".replace("|", "/"))
    return done.stdout
