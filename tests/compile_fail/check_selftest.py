#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""check_selftest.py FOLDER COMPILER...   check.py must itself tell right from wrong; it writes its tables to FOLDER"""

import pathlib
import sys

import check

SENTENCE = "condense: check: the value must be small (see small)"
SHARED = f"""#pragma once
void reject(char const*);
constexpr int require(bool holds, char const* sentence) {{
    if (!holds) reject(sentence);
    return 0;
}}
template <class T, bool Right>
int checked() {{
    static_assert(Right, "{SENTENCE}");
    return 0;
}}
template <bool Right>
struct other {{
    static_assert(Right, "another sentence");
}};
template <class T, bool Right>
int checked_late() {{
    return sizeof(other<Right>) + checked<T, Right>();
}}
"""


def planted(code, name="planted", right="true", wrong="false", sentence=SENTENCE):
    return f"// {name}: `{right}` -> `{wrong}`\n//   {sentence}\n{code}\n"


OURS = f'static_assert(ok, "{SENTENCE}");'
OTHER = 'static_assert(ok, "another sentence");'
OK = "constexpr bool ok = true;\n"

# Fault and question, whether the table is right, and the table, which includes SHARED.
TABLES = [
    ("right code", "accepted", True, planted(OK + OURS)),
    ("a twin that does not compile", "accepted", False, planted(OK + OURS + "static_assert(!ok);")),
    ("the sentence", "refused", True, planted(OK + OURS)),
    ("the sentence on two lines", "refused", True, planted(OK + OURS, sentence=SENTENCE.replace(" must", "\n//   must"))),
    ("the sentence before another", "refused", True, planted(OK + OURS + OTHER)),
    ("the sentence in a constant", "refused", True, planted(f'constexpr int x = require(true, "{SENTENCE}");')),
    ("the sentence for two defects, in templates", "refused", True,
     planted("struct a;\nint const x = checked<a, true>();") + planted("struct b;\nint const y = checked<b, true>();", "again")),
    ("the sentence for two defects, of which compilers diagnose one", "refused", True,
     planted("int const x = checked<int, true>();") + planted("int const y = checked<int, true>();", "again")),
    ("a defect that compiles", "refused", False, planted(OK + "static_assert(ok || true);")),
    ("a defect that compiles, behind one that does not", "refused", False,
     planted(OK + OURS) + planted("constexpr bool fine = true;", "again")),
    ("another sentence", "refused", False, planted(OK + OTHER)),
    ("another sentence first", "refused", False, planted(OK + OTHER + OURS)),
    ("another sentence first, in a template", "refused", False, planted("struct a;\nint const x = checked_late<a, true>();")),
    ("the beginning of the sentence", "refused", False, planted(OK + OURS, sentence="condense: check: the value must be")),
    ("code that is not in the block", "refused", False, planted("constexpr bool ok = false;\n" + OURS)),
    ("code that is in the block twice", "refused", False, planted(OK + OURS + "static_assert(true);")),
    ("a defect without a sentence", "refused", False, planted(OK + OURS, sentence="the value must be small")),
    ("two defects of one name", "refused", False, planted(OK + OURS) + planted("bool y = true;")),
    ("no defect", "refused", False, OK + OURS),
]


def main():
    folder, *compiler = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shared.hpp").write_text(SHARED, encoding="utf-8")
    failed = False
    for number, (name, asked, right, text) in enumerate(TABLES):
        table = folder / f"table_{number}.cpp"
        table.write_text(f'#include "{folder / "shared.hpp"}"\n{text}', encoding="utf-8")
        faults = {"refused": check.refused, "accepted": check.accepted}[asked](table, folder / "units", compiler)
        if right == bool(faults):
            print(f"{table}: {name}: check.py says {'; '.join(faults) or 'that it is right'}")
            failed = True
    return 1 if failed else 0


sys.exit(main())
