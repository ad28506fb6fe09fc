#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""count_tokens_test.py --program COUNT_TOKENS: what the example prints, of files good and bad.

Vocabularies are made here, and counts are checked against plain merging in Python. Where CONDENSE_VOCABULARIES names a
folder with cl100k_base.tiktoken and o200k_base.tiktoken, some ids that tiktoken 0.14.0 gives are looked at too.
"""

import base64
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import PATIENCE, arguments, checks_in, expect, in_folder, names_options, run, run_all

PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
MERGES = [("t", "h"), ("th", "e"), (" ", "the"), ("i", "n"), ("in", "g"), ("o", "n"), (" ", "w"), ("o", "r"), (" w", "or"), ("a", "a"), ("aa", "aa")]
LINE = "the worthing thing on the oar in aaaaaaaaa then\n"

class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *arguments, given=b"", status=0):
        out, err = run([self.path, *arguments], given, status)
        expect((err != "") == (status != 0), f"{arguments}: a reason, and only with a failure", err)
        expect(all(line.startswith(("count_tokens: ", "usage: ")) for line in err.splitlines()), f"{arguments}: who complains", err)
        expect(re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err) is None, f"{arguments}: control characters", repr(err))
        return out, err

    def lines(self, *arguments, **more):
        return self.run(*arguments, **more)[0].split("\n")[:-1]

def spelling():
    """How byte-level vocabularies write bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return {byte: chr(byte if byte in plain else next(others)) for byte in range(256)}

def tokenizer_json(merges):
    spelt = spelling()
    write_as = lambda text: "".join(spelt[byte] for byte in text.encode())
    tokens = [*spelt.values(), *(write_as(a + b) for a, b in merges)]
    return json.dumps({
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated"}, {"type": "ByteLevel", "use_regex": False}]},
        "model": {"type": "BPE", "vocab": {token: at for at, token in enumerate(tokens)},
                  "merges": [[write_as(a), write_as(b)] for a, b in merges]}}).encode()

def merged(text, merges):
    """The ids of lower-case words and line ends: all that is asked for here."""
    ids = {token: at for at, token in enumerate([chr(byte) for byte in range(256)] + [a + b for a, b in merges])}
    rank = {pair: at for at, pair in enumerate(merges)}
    out = []
    for piece in re.findall(r" ?[a-z]+|\n+", text):
        parts = list(piece)
        while True:
            best = min((rank[pair], at) for at, pair in enumerate([*zip(parts, parts[1:]), None]) if pair in rank) if any(
                pair in rank for pair in zip(parts, parts[1:])) else None
            if best is None:
                break
            parts[best[1]:best[1] + 2] = ["".join(parts[best[1]:best[1] + 2])]
        out += [ids[part] for part in parts]
    return out

def rank_file(count):
    """Bytes, then pairs of bytes, then pairs with an x before them."""
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [before + bytes([a, b]) for before in (b"", b"x", b"y", b"z") for a in range(256) for b in range(256)]
    return b"".join(base64.b64encode(token) + b" %d\n" % at for at, token in enumerate(tokens[:count]))

def write(root, name, content):
    path = os.path.join(root, name)
    with open(path, "wb") as file:
        file.write(content)
    return path

def refuses_wrong_usage(program, root):
    text = write(root, "text", b"words")
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    other = write(root, "other.tiktoken", rank_file(300))
    image = os.path.join(root, "v.image")
    program.run("--vocab", vocabulary, "--image", image, text)
    for arguments in [[], ["--fly", text], ["-x", text], ["--vocab"], ["--encoding", "cl100k_base", text], ["--ids", text],
                      ["--image", image, text], ["--estimate", "gpt-4o", text], ["--estimate", "", text], ["--vocab", vocabulary, "--estimate", "gpt", text],
                      ["--vocab", vocabulary, "--encoding", "p50k_base", text], ["--vocab", vocabulary, "--encoding", "\x1b[2J", text],
                      ["--vocab", other, text], ["--vocab", image, "--image", image, text], ["-", text, "-"], ["--x\x1b", text], ["--time"],
                      ["--shape", "gemini", text], ["--conversation", "--shape", "cohere", text], ["--conversation", "--vocab", vocabulary, "--ids", text]]:
        out, err = program.run(*arguments, status=2)
        expect(out == "" and "usage: count_tokens " in err, f"{arguments}: no reason, or an output", out + err)

def counts_and_ids_are_those_of_plain_merging(program, root):
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    texts = ["", "a", "the", LINE, "the the thing aaaaaaaaaaaaa\n\n\non", " in the work"]
    files = [write(root, f"text{at}", text.encode()) for at, text in enumerate(texts)]
    ids = [merged(text, MERGES) for text in texts]
    expect(len(ids[2]) == 1 and len(ids[3]) < len(LINE) // 2, "the reference does not merge")
    expect(program.lines("--vocab", vocabulary, *files) == [str(len(each)) for each in ids], "counts differ")
    expect(program.lines("--ids", "--vocab", vocabulary, *files) == [" ".join(map(str, each)) for each in ids], "ids differ")
    # In the order given, options anywhere, a file that looks like an option, standard input among files.
    os.chdir(root)
    write(root, "--ids", LINE.encode())
    seen = program.lines(files[2], "-", "--vocab", vocabulary, files[1], "--", "--ids", given=(LINE * 2).encode())
    expect(seen == ["1", str(2 * len(ids[3])), "1", str(len(ids[3]))], "order", seen)

def large_and_binary_files_are_counted_whole(program, root):
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    plain = write(root, "plain.json", tokenizer_json([]))
    one = merged(LINE, MERGES)
    large = write(root, "large", LINE.encode() * 30_000)
    expect(program.lines("--vocab", vocabulary, large) == [str(len(one) * 30_000)], "a large file")
    ids = program.lines("--vocab", vocabulary, "--ids", "-", given=LINE.encode() * 30_000)[0].split(" ")
    expect(list(map(int, ids)) == one * 30_000, "the ids of a large file")
    # One piece without an end: 256 KiB are read at once, so that it is several portions long.
    letters = write(root, "letters", b"z" * 900_000)
    expect(program.lines("--vocab", vocabulary, letters) == ["900000"], "a word of many portions")
    expect(program.lines("--vocab", vocabulary, "--ids", letters) == [" ".join(["122"] * 900_000)], "ids of a word of many portions")
    binary = bytes((at * 7 + at // 256 * 13) % 256 for at in range(700_000)) + b"\xf0\x9f\x98"
    wanted = len(binary.decode("utf-8", "replace").encode())
    expect(program.lines("--vocab", plain, write(root, "binary", binary)) == [str(wanted)], "bytes that are no text")
    expect(len(program.lines("--vocab", plain, "--ids", write(root, "binary", binary))[0].split(" ")) == wanted, "ids of bytes that are no text")
    expect(program.lines("--vocab", plain, "-", given=bytes(300_000)) == ["300000"], "nulls")

def files_that_cannot_be_read_keep_their_line(program, root):
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    text = write(root, "text", LINE.encode())
    count = str(len(merged(LINE, MERGES)))
    absent = os.path.join(root, "ab\x1b[2Jsent")
    out, err = program.run("--vocab", vocabulary, text, absent, root, text, "", status=1)
    expect(out == f"{count}\n-\n-\n{count}\n-\n", "a line for each", out)
    expect(len(err.splitlines()) == 3 and "ab?[2Jsent: cannot be read: " in err and "directory" in err, "a reason for each", err)
    expect(program.lines("--vocab", vocabulary, "--ids", absent, "-", status=1) == ["-", ""], "ids")
    expect(program.lines(absent, "-", "--time", status=1) == ["-", "0\t0 bytes/s"], "estimates")
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program.path, text], stdout=full, stderr=subprocess.PIPE, timeout=PATIENCE)
        expect(done.returncode == 1 and b"standard output" in done.stderr, "what can not be written is noticed", done.stderr)

def rank_files_are_told_by_name_or_option(program, root):
    text = write(root, "text", b"ab xyz 1234")  # "ab", " x", "yz", " ", "12", "3", "4" by cl100k: groups of three digits
    named = write(root, "my.cl100k_base.tiktoken", rank_file(100_256))
    other = write(root, "ranks", rank_file(100_256))
    seen = program.lines("--vocab", named, text)
    expect(seen == program.lines("--vocab", other, "--encoding", "cl100k_base", text), "by name and by option")
    expect(seen == ["7"], "count", seen)
    expect(program.lines("--vocab", named, "--ids", text)[0].split(" ")[0] == str(256 + 256 * ord("a") + ord("b")), "ids are ranks")
    for broken in [rank_file(100_255), rank_file(100_257), b"", rank_file(100_256)[:-9], b"!" + rank_file(100_256), b"{", b"{}", b'{"model":{}}', b"cndsbpe\n"]:
        out, err = program.run("--vocab", write(root, "bad", broken), "--encoding", "cl100k_base", text, status=1)
        expect(out == "" and "bad: condense: bpe_vocabulary: " in err, f"a file that is wrong: {broken[:20]}", out + err)
    for absent in [os.path.join(root, "nowhere"), root, ""]:
        out, err = program.run("--vocab", absent, "--encoding", "cl100k_base", text, status=1)
        expect(out == "" and "must be a regular file" in err, "a vocabulary that is not there", out + err)
    llama = write(root, "v.json", tokenizer_json(MERGES))
    out, err = program.run("--vocab", llama, "--encoding", "o200k_base", text, status=1)
    expect(out == "" and "no vocabulary of o200k_base" in err, "another encoding", out + err)

def images_stand_in_for_their_files(program, root):
    text = write(root, "text", LINE.encode())
    image = os.path.join(root, "image")
    for name, vocabulary, changed in [("v.json", tokenizer_json(MERGES), tokenizer_json(MERGES[:3])),
                                      ("cl100k_base", rank_file(100_256), rank_file(100_256)[::-1])]:
        path = write(root, name, vocabulary)
        wanted = program.lines("--vocab", path, text)
        expect(program.lines("--vocab", path, "--image", image, text) == wanted and os.path.getsize(image) > 100_000, "an image is written")
        written = os.stat(image).st_mtime_ns
        expect(program.lines("--vocab", path, "--image", image, text) == wanted and os.stat(image).st_mtime_ns == written, "and read")
        expect(program.lines("--vocab", image, text) == wanted, "also as a vocabulary")
        with open(image, "r+b") as file:
            file.seek(5_000)
            file.write(b"damage")
        program.run("--vocab", image, text, status=1)
        expect(program.lines("--vocab", path, "--image", image, text) == wanted and os.stat(image).st_mtime_ns != written, "a damaged one is made anew")
        if name == "v.json":
            write(root, name, changed)
            expect(program.lines("--vocab", path, "--image", image, text) == [str(len(merged(LINE, MERGES[:3])))], "and that of another file")
    out, err = run([program.path, "--vocab", os.path.join(root, "cl100k_base"), "--image", os.path.join(root, "no", "image"), text])
    expect(out == wanted[0] + "\n" and "no image is written" in err, "without a place for the image it counts, and says so", out + err)

def estimates_by_family(program, root):
    text = write(root, "text", b"We looked at the files in the folder and found that the tests were not there. " * 50)
    by_family = {name: int(program.lines("--estimate", name, text)[0]) for name in ["other", "claude", "claude_4_7", "gpt", "kimi", "gemini"]}
    expect(program.lines(text) == [str(by_family["other"])], "the default is other", by_family)
    expect(all(700 < each < 1_400 for each in by_family.values()) and by_family["claude"] < by_family["claude_4_7"], "some 850", by_family)
    expect(program.lines(write(root, "empty", b"")) == ["0"], "an empty file")
    unit = "Über 9 Wörter – 漢字 und\n".encode() * 100
    one = int(program.lines("-", given=unit)[0])
    large = int(program.lines(write(root, "large", unit * 8_000))[0])  # more than a portion
    expect(abs(large - one * 8_000) < large // 200, "in portions as whole", (one, large))
    line = "漢".encode() * 6_000_000
    expect(abs(int(program.lines("-", given=line)[0]) - 2 * int(program.lines("-", given=line[:len(line) // 2])[0])) < 100, "also without line ends")

def times_follow_a_tab(program, root):
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    text = write(root, "text", LINE.encode() * 1_000)
    for arguments in [["--vocab", vocabulary], ["--vocab", vocabulary, "--ids"], []]:
        plain = program.lines(*arguments, text)[0]
        fields = program.lines("--time", *arguments, text)[0].split("\t")
        expect(len(fields) == 2 and fields[0] == plain and re.fullmatch(r"[1-9][0-9]{3,} bytes/s", fields[1]), "a rate", fields[1:])

def published_vocabularies_give_the_ids_of_tiktoken(program, root):
    folder = os.environ.get("CONDENSE_VOCABULARIES")
    if not folder:
        print("      (without CONDENSE_VOCABULARIES: nothing is looked at)")
        return
    text = write(root, "text", "Hello, world! I'm here; don't go.".encode())
    for name, ids in [("cl100k_base", "9906 11 1917 0 358 2846 1618 26 1541 956 733 13"), ("o200k_base", "13225 11 2375 0 5477 2105 26 4128 810 13")]:
        seen = program.lines("--vocab", os.path.join(folder, name + ".tiktoken"), "--ids", text)
        expect(seen == [ids], name, seen)

def conversations_are_counted_as_they_are_sent(program, root):
    message = {"role": "user", "content": "words " * 100}
    bodies = {"openai": {"messages": [message]}, "gemini": {"contents": [{"role": "user", "parts": [{"text": "words " * 100}]}]},
              "responses": {"input": [{"type": "message", **message}]}}
    counts = {}
    for shape, body in bodies.items():
        path = write(root, shape, json.dumps({"model": "m" * 500, **body}).encode())
        counts[shape] = int(program.lines("--conversation", "--shape", shape, path)[0])
        expect(int(program.lines(path)[0]) > counts[shape] + 50, "the file is more than what is read of it", counts)
        told = program.lines("--conversation", write(root, "told", json.dumps({"system": "words " * 100, **body}).encode()))
        expect(int(told[0]) > counts[shape] + 80, "a system prompt counts", told)
    expect(len(set(counts.values())) == 1 and 90 < counts["openai"] < 200, "the shape does not matter", counts)
    vocabulary = write(root, "v.json", tokenizer_json(MERGES))
    exact, half = (int(program.lines("--vocab", vocabulary, "--conversation", write(root, "c", json.dumps([{**message, "content": "words " * n}]).encode()))[0])
                   for n in (100, 50))
    expect(exact - half == len(merged(" words" * 50, MERGES)), "the vocabulary counts the texts", (exact, half))
    for content in (b"{", b"{}", b'[{"role":"USER","message":"hi"}]', json.dumps(bodies["openai"]).encode()):
        bad = write(root, "bad", content)
        expect(program.run("--conversation", "--shape", "gemini", bad, status=1)[0] == "-\n", "what is no such conversation", content)

def help_is_there(program, root):
    names_options(program.run("--help")[0], "--vocab", "--encoding", "--image", "--ids", "--estimate", "--time", "--conversation", "--shape", "FILE")

ALL = checks_in(globals(), "program", "root")


program = Program(arguments().program)
sys.exit(run_all("count_tokens_test", ALL, lambda check: in_folder(check, program)))
