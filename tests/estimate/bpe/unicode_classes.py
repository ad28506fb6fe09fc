#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes include/condense/estimate/bpe/unicode_table.hpp from the Unicode data, or checks it.

unicode_classes.py --write   needs unicodedata, or unicodedata2 from PyPI, of the stated version
unicode_classes.py           compares the header with them; status 77 (skipped) where neither has that version, nor the
                             Python that install.sh put into the folder of CONDENSE_VOCABULARIES
"""

import os
import pathlib
import subprocess
import sys

VERSION = "16.0.0"  # that of regex-syntax 0.8, the tables of tiktoken 0.14
HEADER = pathlib.Path(__file__).resolve().parents[3] / "include/condense/estimate/bpe/unicode_table.hpp"
BLOCK = 128
END = 0x32400  # letters end below; above are private use, tags and the variation selectors
CLASSES = {"Lu": 1, "Lt": 1, "Ll": 2, "Lm": 3, "Lo": 3, "M": 4, "N": 5, "Z": 6, "P": 7, "S": 7}

TEXT = """// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

// Classes of code points of Unicode {version}, the version of tiktoken 0.14: one digit each, the values of
// char_class. Written by tests/estimate/bpe/unicode_classes.py; not edited by hand.
// clang-format off

namespace condense {{
inline namespace v1 {{
namespace detail::bpe {{

/// From here on only U+E0100 to U+E01EF, marks, are not of class other.
inline constexpr std::uint32_t unicode_table_end = 0x{end:X};

/// Which block of {block} digits has a code point's class.
inline constexpr std::uint8_t unicode_blocks[] = {{
{index}}};

inline constexpr char unicode_digits[] =
{digits};

}}  // namespace detail::bpe
}}  // namespace v1
}}  // namespace condense
"""


def database():
    for name in ("unicodedata", "unicodedata2"):
        try:
            found = __import__(name)
        except ImportError:
            continue
        if found.unidata_version == VERSION:
            return found
    return None


def class_of(data, point):
    if 0x9 <= point <= 0xD or point == 0x85:  # White_Space beside the categories Z
        return 6
    category = data.category(chr(point))
    return CLASSES.get(category, CLASSES.get(category[0], 0))


def rendered(data):
    for point in range(END, 0x110000):
        assert class_of(data, point) == (4 if 0xE0100 <= point <= 0xE01EF else 0), hex(point)
    blocks, index = {}, []
    for start in range(0, END, BLOCK):
        block = "".join(str(class_of(data, point)) for point in range(start, start + BLOCK))
        index.append(blocks.setdefault(block, len(blocks)))
    assert len(blocks) <= 256
    rows = [", ".join(map(str, index[at:at + 20])) for at in range(0, len(index), 20)]
    digits = "".join(blocks)
    return TEXT.format(version=VERSION, end=END, block=BLOCK, index="".join(f"    {row},\n" for row in rows),
                       digits="\n".join(f'    "{digits[at:at + 112]}"' for at in range(0, len(digits), 112)))


def main():
    data = database()
    if data is None:
        folder = os.environ.pop("CONDENSE_VOCABULARIES", None)
        installed = folder and pathlib.Path(folder, "python/bin/python")
        if installed and installed.exists():
            return subprocess.run([installed, *sys.argv]).returncode
        print(f"condense: !!! skipped, no Unicode data of version {VERSION} (pip install unicodedata2=={VERSION}): "
              f"{HEADER.name} is not compared with them !!!")
        return 77
    text = rendered(data)
    if "--write" in sys.argv[1:]:
        HEADER.write_text(text, encoding="ascii")
        return 0
    if HEADER.read_text(encoding="ascii") != text:
        print(f"unicode_classes: {HEADER} is not what this script writes for Unicode {VERSION}")
        return 1
    print(f"unicode_classes: the table is that of Unicode {VERSION}")
    return 0


sys.exit(main())
