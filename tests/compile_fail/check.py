#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check.py refused TABLE FOLDER COMPILER...   each defect of the table must be refused, first of all with its sentence
check.py accepted TABLE FOLDER COMPILER...  the table, which is their twins, must compile

A table is right code: before its first defect what its blocks share, then blocks, and above each of them defects of it.

    // a_name: `right` -> `wrong`
    // another_name: `right` -> ``
    //   condense: the sentence of both

A defect is planted in a copy of its block, in a namespace of its name; `right` must stand there once. FOLDER gets the
copies of all in one unit, which is compiled once. An error belongs to the defect whose lines or names it shows. Where the
first error of a defect does not say the sentence, or no error is its own, a unit of that defect alone decides.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys

HEAD = re.compile(r"// (\w+): `(.+?)` -> `(.*)`")
SAID = re.compile(r"//   (.+)")
DIAGNOSTIC = re.compile(r"\S.*?: (?:fatal )?(error|warning|note): ")


class BadTable(Exception):
    pass


@dataclasses.dataclass
class Defect:
    name: str
    right: str
    wrong: str
    sentence: str = ""
    block: str = ""

    def code(self):
        """The block with the defect. White space in `right` stands for any, as the block is laid out by clang-format."""
        pattern = r"\s+".join(re.escape(word) for word in self.right.split())
        code, found = re.subn(pattern, lambda _: self.wrong, self.block)
        if found != 1:
            raise BadTable(f"{self.name}: `{self.right}` stands {found} times in its block")
        return f"namespace {self.name} {{\n{code}}}\n"

    def is_said_by(self, text):
        """Word for word: it must not be the beginning of a longer sentence."""
        return re.search(re.escape(self.sentence) + r"(?=[\"'’]|$)", text, re.M) is not None


def read(text):
    """What the blocks share, and the defects."""
    shared, defects, heads, block = [], [], [], []
    last = None
    for line in text.splitlines(keepends=True):
        if head := HEAD.fullmatch(line.rstrip()):
            if last != "head":
                heads = []
                if last == "code":
                    block = []
            defect = Defect(*head.groups())
            defect.block = block
            heads.append(defect)
            defects.append(defect)
            last = "head"
        elif heads and last in ("head", "sentence") and (said := SAID.fullmatch(line.rstrip())):
            for defect in heads:
                defect.sentence = f"{defect.sentence} {said[1]}".strip()
            last = "sentence"
        else:
            (block if defects else shared).append(line)
            last = "code"
    for defect in defects:
        defect.block = "".join(defect.block)
        if not defect.sentence.startswith("condense: "):
            raise BadTable(f"{defect.name}: no sentence that begins with 'condense: '")
        if not defect.block.strip():
            raise BadTable(f"{defect.name}: no code below it")
    names = [defect.name for defect in defects]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadTable(f"twice in the table: {', '.join(sorted(twice))}")
    if not defects:
        raise BadTable("no defect")
    return "".join(shared), defects


def errors(output):
    """The text of each error, with what leads to it, which is printed before it, and its notes, after it."""
    found, before = [], []
    for line in output.splitlines():
        before.append(line)
        if kind := DIAGNOSTIC.match(line):
            if kind[1] == "error":
                found.append(before)
                before = []
            elif found:
                found[-1] += before
                before = []
    return ["\n".join(lines) for lines in found]


def run(unit, compiler):
    """Whether it fails, and its output."""
    done = subprocess.run([*compiler, unit], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    return done.returncode != 0, done.stdout


def settled(defects, unit, shared, compiler):
    """The defects of which the unit of all shows that they are refused as they should be."""
    text, owner = shared, {}
    for defect in defects:
        first = text.count("\n") + 1
        text += defect.code()
        owner.update(dict.fromkeys(range(first, text.count("\n") + 1), defect.name))
    unit.write_text(text, encoding="utf-8")
    _, output = run(unit, compiler)
    named = re.compile(rf"\b({'|'.join(defect.name for defect in defects)})::")
    placed = re.compile(rf"^(?!In file included from)(?:.*[\s(])?{re.escape(str(unit))}:(\d+)", re.M)
    first_errors, last = {}, None
    for error in errors(output):
        owners = {owner.get(int(line)) for line in placed.findall(error)} | set(named.findall(error))
        if not owners and not re.search("in instantiation of|required from", error, re.I):
            owners = {last}  # of several errors in one instantiation the first alone says where it began
        if len(owners) != 1 or None in owners:
            break  # it may be anyone's, so that what comes later may not be the first of its defect
        last = owners.pop()
        first_errors.setdefault(last, error)
    return {defect.name for defect in defects if defect.is_said_by(first_errors.get(defect.name, ""))}


def fault(defect, unit, shared, compiler):
    unit.write_text(shared + defect.code(), encoding="utf-8")
    failed, output = run(unit, compiler)
    found = errors(output)
    if not failed or not found:
        return f"must not compile\n{output}"
    if not defect.is_said_by(found[0]):
        return f"the first error must say: {defect.sentence}\n{output}"
    return None


def refused(table, folder, compiler):
    """What is wrong with the table's defects, a text for each."""
    try:
        shared, defects = read(table.read_text(encoding="utf-8"))
        folder.mkdir(parents=True, exist_ok=True)
        done = settled(defects, folder / table.name, shared, compiler)
        alone = [defect for defect in defects if defect.name not in done]
        print(f"{table.name}: {len(defects)} defects; on their own: {' '.join(defect.name for defect in alone) or 'none'}")
        faults = {defect.name: fault(defect, folder / f"{table.stem}.{defect.name}.cpp", shared, compiler) for defect in alone}
    except BadTable as bad:
        return [str(bad)]
    return [f"{name}: {said}" for name, said in faults.items() if said]


def accepted(table, _, compiler):
    failed, output = run(table, compiler)
    return [f"must compile\n{output}"] if failed else []


def main():
    verdict, table, folder, *compiler = sys.argv[1:]
    faults = {"refused": refused, "accepted": accepted}[verdict](pathlib.Path(table), pathlib.Path(folder), compiler)
    for each in faults:
        print(f"{table}: {each}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
