# SPDX-License-Identifier: BSL-1.0
"""Packages of PyPI that a check needs, at the versions it was written for."""

import importlib.metadata
import os
import subprocess
import sys


def find_packages(pinned, folder, *options):
    """Has the packages at hand ("name==version"); why not, or nothing. May go on as another process, in an environment made in `folder`, where pip installs them with `options`."""
    try:
        wrong = [each for each in pinned if importlib.metadata.version(each.split("==")[0]) != each.split("==")[1]]
    except importlib.metadata.PackageNotFoundError as problem:
        wrong = [f"{problem} is missing"]
    if not wrong:
        return ""
    if sys.prefix != sys.base_prefix:
        return ", ".join(wrong)
    python = os.path.join(folder, "bin", "python")
    try:
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=120)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "1", *options, *pinned], check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as problem:
        return str(problem)
    sys.stdout.flush()
    os.execv(python, [python, *sys.argv])


def need_packages(title, pinned, folder, *options):
    """The same, or the script is skipped."""
    problem = find_packages(pinned, os.path.abspath(folder), *options)
    if problem:
        print(f"{title}: skipped: {' and '.join(each.split('==')[0] for each in pinned)} cannot be had: {problem}")
        sys.exit(77)
