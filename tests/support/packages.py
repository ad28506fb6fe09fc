# SPDX-License-Identifier: BSL-1.0
"""Packages of PyPI and npm that a check needs, at the versions it was written for."""

import importlib.metadata
import os
import re
import subprocess
import sys


def need_packages(title, pinned, folder, *options):
    """Has the packages at hand ("name==version"), or skips the script. May go on as another process, in an environment made
    in `folder`, where pip installs them with `options`."""
    try:
        wrong = [each for each in pinned if importlib.metadata.version(re.split(r"\[|==", each)[0]) != each.split("==")[1]]
    except importlib.metadata.PackageNotFoundError as problem:
        wrong = [f"{problem} is missing"]
    if not wrong:
        return
    python = os.path.join(os.path.abspath(folder), "bin", "python")
    try:
        if sys.prefix != sys.base_prefix:
            raise OSError(", ".join(wrong))
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=120)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "1", *options, *pinned], check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"{title}: skipped: {' and '.join(each.split('==')[0] for each in pinned)} cannot be had: {problem}")
        sys.exit(77)
    sys.stdout.flush()
    os.execv(python, [python, *sys.argv])


def node_packages(title, pinned, folder):
    """A folder in which Node finds the packages ("name@version"); None where they cannot be had, which is said."""
    listed = os.path.join(os.path.abspath(folder), "packages.txt")
    try:
        if not os.path.exists(listed):
            os.makedirs(folder, exist_ok=True)
            for options in (["init", "--yes"], ["install", "--no-audit", "--no-fund", "--ignore-scripts", *pinned]):
                subprocess.run(["npm", *options], cwd=folder, check=True, capture_output=True, timeout=300)
            with open(listed, "w", encoding="utf-8") as file:
                file.write("\n".join(pinned))
        with open(listed, encoding="utf-8") as file:
            if file.read() == "\n".join(pinned):
                return os.path.abspath(folder)
        problem = "others are there"
    except (OSError, subprocess.SubprocessError) as error:
        problem = error
    print(f"{title}: skipped: {pinned[0]} and other packages of npm cannot be had: {problem}")
    return None
