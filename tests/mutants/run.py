#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Breaks the library on purpose, one defect at a time, and demands that the tests notice.

    run.py [--check] [--jobs N] [NAME...]

The mutants stand in list.toml, whose head says how one is written. Each test file that a mutant names must notice: its
program, built against the broken headers, turns red or runs into the time limit, or an assertion of the file fails at
compile time. Any other error of the compiler is one of the mutant, not a kill. The files must be green without it.

--check only looks whether every mutant can be made, and whether this script refuses bad ones. --jobs N tries N at once;
the order of lines is theirs. Exit status: 0 when all were killed, 1 when one survived, 2 when a mutant or a test is no
good. CXX, CXXFLAGS and LDLIBS (-lsqlite3) are honoured, as are CONDENSE_ROUNDS and CONDENSE_TIMEOUT (seconds for one
program).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
ASSERTION = re.compile(r"^tests/.*error: (static assertion failed|static_assert failed|non-constant condition for static"
                       r" assertion|static assertion expression is not an integral constant expression)")


class NoGood(Exception):
    pass


def closing(code, at):
    """Where the bracket that opens at `at` is closed."""
    depth = 0
    for at in range(at, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return len(code)


def definition(code, name, at):
    """Where the definition ends that `name` before `at` begins, or nothing: a class, a function, a lambda with a name."""
    is_type = re.search(r"\b(struct|class|union|enum|concept|namespace) [\w:]*$", code[:at - len(name)])
    if not is_type and not re.match(r"\s*\(|\s*=\s*\[", code[at:]):
        return None
    while at < len(code) and code[at] not in ";)]}":
        if code[at] == "{":
            # A second "requires" has an expression in braces, a member's name its initial value.
            if not re.search(r"(\brequires|=|&&|\|\|)\s*requires\s*(\([^()]*\)\s*)?$|" + ("$." if is_type else r"[\w>]$"), code[:at]):
                return closing(code, at) + 1
        at = closing(code, at) + 1 if code[at] in "([{" else at + 1
    return None


def places(text, symbol):
    """The parts of a header in which `symbol` is defined: outer::inner, a function with all that have its name."""
    code = NOT_CODE.sub(lambda part: re.sub(r"[^\n]", " ", part[0]), text)
    found = [(0, len(code))]
    for name in symbol.split("::"):
        inner = []
        for begin, end in found:
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", code[begin:end]):
                at = begin + match.start()
                last = definition(code, name, at + len(name))
                if last and not (inner and at < inner[-1][1]):
                    inner.append((at, last))
        found = inner
    return found


def edited(text, symbol, find, put):
    """The text with one change in it. White space in `find` stands for any; a line that is emptied goes."""
    within = places(text, symbol)
    if not within:
        raise NoGood(f"there is no {symbol}")
    words = re.compile(r"\s+".join(map(re.escape, find.split())))
    matches = [match for match in words.finditer(text) if any(a <= match.start() and match.end() <= b for a, b in within)]
    if len(matches) != 1:
        raise NoGood(f"{symbol} has {len(matches)} times, not once: {find}")
    begin, end = matches[0].span()
    if not put:
        line, after = re.search(r"\n[ ]*$", text[:begin]), re.match(r"[ ]*\n", text[end:])
        if line and after:
            begin, end = line.start() + 1, end + after.end()
    if text[begin:end] == put:
        raise NoGood(f"changes nothing in {symbol}")
    return text[:begin] + put + text[end:]


def broken(mutant, root):
    """The text of each header that a mutant changes; NoGood says what is wrong with it."""
    if not mutant.get("breaks"):
        raise NoGood("says not what it breaks")
    if not mutant.get("tests"):
        raise NoGood("names no test")
    for test in mutant["tests"]:
        if not (root / "tests" / test).is_file():
            raise NoGood(f"names tests/{test}, which is not there")
    texts = {}
    for file, symbol, find, put in mutant.get("edits", ()):
        header = root / "include" / "condense" / file
        if not header.is_file():
            raise NoGood(f"names {file}, which is not there")
        texts[header] = edited(texts.get(header) or header.read_text(encoding="utf-8"), symbol, find, put)
    if all(header.read_text(encoding="utf-8") == text for header, text in texts.items()):
        raise NoGood("changes nothing")
    return {header.relative_to(root): text for header, text in texts.items()}


def selftest():
    """What this script does not refuse, or take, as it should."""
    text = 'int twice = 2;\nstruct box {\n    box() : a{1}, b{2} { a = "}"; }\n    // }\n    int get() { return a; }\n' \
           '    int set() const requires(true) {\n        a = 1;\n        return a;\n    }\n};\nint far() { return get(); }\n'
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in (("include/condense/box.hpp", text), ("tests/box.test.cpp", "")):
            (root / name).parent.mkdir(parents=True)
            (root / name).write_text(content, encoding="utf-8")

        def outcome(symbol, find, put, **other):
            try:
                edits = [["box.hpp", symbol, find, put]]
                return [*broken({"breaks": "It.", "tests": ["box.test.cpp"], "edits": edits, **other}, root).values()][0]
            except NoGood as problem:
                return str(problem)

        wanted = (
            (("get", "return a;", "return 2;"), text.replace("get() { return a", "get() { return 2")),
            (("box::set", "a = 1;", ""), text.replace("        a = 1;\n", "")),
            (("set", "a = 1; return", "return"), text.replace("a = 1;\n        return", "return")),
            (("box", '"}"', '"{"'), text.replace('"}"', '"{"')),
            (("get", "return 3;", ""), "get has 0 times, not once: return 3;"),
            (("get", "get();", ""), "get has 0 times, not once: get();"),
            (("box", "return a;", ""), "box has 2 times, not once: return a;"),
            (("put", "return a;", ""), "there is no put"),
            (("box::far", "return", ""), "there is no box::far"),
            (("get", "return a;", "return a;"), "changes nothing in get"),
        )
        found += [f"{asked}: {outcome(*asked)}" for asked, answer in wanted if outcome(*asked) != answer]
        for other, answer in (({"breaks": ""}, "says not what it breaks"), ({"tests": []}, "names no test"),
                              ({"tests": ["no.test.cpp"]}, "names tests/no.test.cpp, which is not there"),
                              ({"edits": [["no.hpp", "box", "a", "b"]]}, "names no.hpp, which is not there"),
                              ({"edits": []}, "changes nothing")):
            said = outcome("get", "return a;", "return 2;", **other)
            found += [f"{other}: {said}"] if said != answer else []
    return found


class Bench:
    """Builds test files against headers, sound or broken, and runs them."""

    def __init__(self, work):
        self.work, self.running, self.stopped, self.guard = work, set(), False, threading.Lock()
        self.compiler = shlex.split(os.environ.get("CXX", "c++"))
        if shutil.which("ccache") and not any("ccache" in word for word in self.compiler):
            self.compiler.insert(0, "ccache")
        self.flags = [*"-std=c++20 -O0 -D_GLIBCXX_ASSERTIONS -w -pipe -I include -I tests".split(),
                      *shlex.split(os.environ.get("CXXFLAGS", ""))]
        self.environment = {"CONDENSE_ROUNDS": "300", "CONDENSE_EFFORT": "20", **os.environ}
        self.limit = float(os.environ.get("CONDENSE_TIMEOUT", "60"))
        self.libraries = shlex.split(os.environ.get("LDLIBS", "-lsqlite3"))
        self.red = set()

    def run(self, command, folder, limit=300):
        """Status and output; status 124 past the limit. All that the program started ends with it."""
        with subprocess.Popen(command, cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as program:
            with self.guard:
                self.running.add(program)
            try:
                output, status = program.communicate(timeout=limit)[0], program.returncode
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, signal.SIGKILL)
                output, status = program.communicate()[0], 124
            with self.guard:
                self.running.discard(program)
                if self.stopped:
                    sys.exit(2)  # no verdict
        return (status if status >= 0 else 128 - status), output

    def stop(self):
        with self.guard:
            self.stopped = True
            for program in self.running:
                os.killpg(program.pid, signal.SIGKILL)

    def folder(self, name, texts=None):
        """A folder of its own, with the same relative names everywhere, so that a compiler cache knows a compilation again."""
        folder = self.work / name
        (folder / "scratch").mkdir(parents=True)
        (folder / "tests").symlink_to(ROOT / "tests")
        if texts is None:
            (folder / "include").symlink_to(ROOT / "include")
        else:
            shutil.copytree(ROOT / "include", folder / "include")
            for header, text in texts.items():
                (folder / header).write_text(text, encoding="utf-8")
        return folder

    def prepare(self, folder):
        """What all programs are linked with."""
        for source in ("support/main.cpp", "faults/allocations.test.cpp"):
            output = f"../{source.split('/')[1].split('.')[0]}.o"
            if self.run([*self.compiler, *self.flags, "-c", f"tests/{source}", "-o", output], folder)[0] != 0:
                raise NoGood("the support of the tests does not compile")
        (folder / "catch.cpp").write_text("#include <catch2/catch_all.hpp>\n", encoding="utf-8")
        if self.run([*self.compiler, *self.flags, "-E", "catch.cpp", "-o", os.devnull], folder)[0] == 0:
            self.libraries = ["-lCatch2Main", "-lCatch2", *self.libraries]

    def judge(self, folder, test):
        """Whether a test file is "green", "killed" or "ERROR", and how it ended."""
        status, output = self.run([*self.compiler, *self.flags, "-c", f"tests/{test}", "-o", "test.o"], folder)
        if status != 0:
            errors = [line for line in output.splitlines() if re.search(r"(^|[ :])(fatal )?error:", line)]
            if errors and all(map(ASSERTION.match, errors)):
                return "killed", f"the assertion at {re.match(r'tests/([^:]*:[0-9]*)', errors[0])[1]}, at compile time"
            return "ERROR", "the compiler takes too long" if status == 124 else f"it does not compile: {errors[0] if errors else ''}"
        objects = ["test.o", "../main.o"]
        if test.startswith("faults/") and test != "faults/allocations.test.cpp":
            objects.append("../allocations.o")
        status, output = self.run([*self.compiler, *objects, "-o", "test", "-pthread", *self.libraries], folder)
        if status != 0:
            return "ERROR", f"it does not link: {output.splitlines()[0] if output else ''}"
        status, output = self.run(["../test", "--abort"], folder / "scratch", self.limit)
        if status == 0:
            return "green", ""
        if status == 124:
            return "killed", f"a hang in {test}"
        # The name of a test stands between the first two lines of dashes.
        name = re.search(r"^-----.*\n((?!-----).*)", output, re.M)
        place = re.search(r"^tests/([^ \n]*:[0-9]+): FAILED:", output, re.M)
        if not name and not place:
            return "killed", f"a crash of {test}, status {status}"
        return "killed", f'{place[1] if place else test} "{name[1] if name else ""}"'

    def attempt(self, name, mutant):
        """The verdict on a mutant."""
        folder, verdict, kills = None, "killed", []
        try:
            folder = self.folder(name, broken(mutant, ROOT))
            for test in mutant["tests"]:
                if test in self.red:
                    raise NoGood(f"{test} is red without any mutant")
                verdict, said = self.judge(folder, test)
                if verdict == "green":
                    verdict, line = "SURVIVED", f"{test} did not notice: {mutant['breaks']}"
                    break
                if verdict == "ERROR":
                    raise NoGood(f"{test}: {said}")
                kills.append(said)
        except NoGood as problem:
            verdict, line = "ERROR", str(problem)
        shutil.rmtree(folder or self.work / name, ignore_errors=True)
        line = f"killed by {', '.join(kills)}" if verdict == "killed" else f"{verdict}: {line}"
        print(f"{name:<36} {line}", flush=True)
        return verdict


def check(mutants):
    bad = 0
    for name, mutant in mutants.items():
        try:
            broken(mutant, ROOT)
        except NoGood as problem:
            bad += 1
            print(f"{name}: {problem}")
    missed = selftest()
    for each in missed:
        print(f"not as it should be: {each}")
    print(f"{len(mutants)} mutants, {bad} of them no good")
    return 2 if bad or missed else 0


def try_all(bench, mutants, jobs):
    # Without a defect every test is green, else its turning red says nothing.
    started, sound = time.monotonic(), bench.folder("sound")
    bench.prepare(sound)
    tests = sorted({test for mutant in mutants.values() for test in mutant.get("tests", ())})
    for test in tests:
        if (ROOT / "tests" / test).is_file():
            verdict, said = bench.judge(sound, test)
            if verdict != "green":
                bench.red.add(test)
                print(f"{test} is red without any mutant: {said}", flush=True)
    shutil.rmtree(sound)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            verdicts = list(pool.map(bench.attempt, mutants, mutants.values()))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            bench.stop()
            raise
    killed, survived = verdicts.count("killed"), verdicts.count("SURVIVED")
    print(f"{len(verdicts)} mutants: {killed} killed, {survived} survived, {len(verdicts) - killed - survived} in error; "
          f"{time.monotonic() - started:.0f} seconds")
    return 2 if killed + survived != len(verdicts) else 1 if survived else 0


def main():
    options = argparse.ArgumentParser(prog="run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--check", action="store_true")
    options.add_argument("-j", "--jobs", type=int, default=1)
    options.add_argument("names", nargs="*")
    asked = options.parse_args()
    mutants = tomllib.loads((HERE / "list.toml").read_text(encoding="utf-8"))
    for name in asked.names:
        if name not in mutants:
            options.error(f"no mutant is called {name}")
    if asked.jobs < 1:
        options.error("--jobs takes a number above 0")
    if asked.names:
        mutants = {name: mutants[name] for name in asked.names}
    if asked.check:
        return check(mutants)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(2))
    with tempfile.TemporaryDirectory(prefix="condense-mutants.") as work:
        bench = Bench(pathlib.Path(work))
        try:
            return try_all(bench, mutants, asked.jobs)
        except NoGood as problem:
            print(f"run.py: {problem}", file=sys.stderr)
            return 2
        finally:
            bench.stop()


if __name__ == "__main__":
    sys.exit(main())
