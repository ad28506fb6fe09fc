#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""conan_test.py --compiler COMPILER --cmake CMAKE --folder FOLDER: the Conan package, made and used by the consumer here.

Conan comes from PyPI; where that fails the check is skipped with status 77. Boost and the JSON library are the system's.
"""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from packages import need_packages

PINNED = ["conan==2.34.0"]
PROFILE = """include(default)
[settings]
compiler.cppstd=20
[platform_requires]
boost/1.74.0
nlohmann_json/3.11.2
"""


def main():
    options = argparse.ArgumentParser()
    for name in ("compiler", "cmake", "folder"):
        options.add_argument(f"--{name}", required=True)
    chosen = options.parse_args()
    folder = pathlib.Path(chosen.folder).absolute()
    need_packages("conan_test", PINNED, folder / "packages")

    environment = {**os.environ, "CONAN_HOME": str(folder / "home"), "CXX": chosen.compiler}
    profile, build = folder / "profile", folder / "build"
    profile.write_text(PROFILE, encoding="utf-8")

    def run(*command, status=0):
        done = subprocess.run([str(each) for each in command], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if (done.returncode != 0) != (status != 0):
            sys.exit(f"{' '.join(done.args)} ended with {done.returncode}:\n{done.stdout[-5000:]}")
        return done.stdout

    def conan(command, *arguments, **further):
        return run(sys.executable, "-m", "conans.conan", command, *arguments, **further)

    conan("profile", "detect", "--force")
    create = ["--no-remote", "--profile:all", profile, "--options", "condense/*:json=True"]
    older = conan("create", HERE.parents[1], *create, "--settings", "compiler.cppstd=17", status=1)
    if "Current cppstd (17) is lower than the required C++ standard (20)" not in older:
        sys.exit(f"a compiler of C++17 is refused with other words:\n{older[-2000:]}")
    conan("create", HERE.parents[1], *create)
    version = conan("list", "condense/*").split("condense/")[-1].split()[0]
    conan("install", f"--requires=condense/{version}", *create, "--generator=CMakeDeps", "--generator=CMakeToolchain", "--output-folder", build)
    run(chosen.cmake, "-S", HERE, "-B", build, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_TOOLCHAIN_FILE={build / 'conan_toolchain.cmake'}",
        f"-DCMAKE_CXX_COMPILER={chosen.compiler}")
    run(chosen.cmake, "--build", build)
    tested = run(os.path.join(os.path.dirname(chosen.cmake), "ctest"), "--test-dir", build, "--no-tests=error")
    print(tested)
    return 0 if all(f" {name} ." in tested for name in ("version", "core", "json")) else 1


sys.exit(main())
