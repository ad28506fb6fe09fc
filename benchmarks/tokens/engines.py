#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""engines.py ENGINE VOCABULARIES ENCODING FILE   one round of one rival, by rivals.py, with the Python it is installed for

Prints tokens, and seconds of this process for a first pass and the best of up to three more. What is called is what
counts with the least done around it: a count where there is one, else ids in an array."""

import base64
import pathlib
import sys
import time


def tiktoken(vocabularies, encoding):
    import tiktoken
    from tiktoken_ext import openai_public
    lines = (line.split() for line in (vocabularies / f"{encoding}.tiktoken").read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    openai_public.load_tiktoken_bpe = lambda *_, **__: ranks
    made = tiktoken.Encoding(**getattr(openai_public, encoding)())
    return str, lambda text: len(made.encode_to_numpy(text, disallowed_special=()))


def gigatoken(vocabularies, encoding):
    from gigatoken.gigatoken_rs import BPETokenizer
    scheme = {"cl100k_base": "gpt4", "o200k_base": "o200k"}[encoding]
    made = BPETokenizer.from_tiktoken(str(vocabularies / f"{encoding}.tiktoken"), scheme, None)
    return bytes, lambda text: len(made.encode(text))


def quicktok(_, encoding):
    import quicktok
    return str, quicktok.get_encoding(encoding).count


def toktok(_, encoding):
    import toktok
    toktok.batch_count([""], encoding)
    return str, lambda text: toktok.batch_count([text], encoding, threads=1)[0]


def bpe_openai(_, encoding):
    from bpe_openai import _bindings
    return str, _bindings.tokenizer_for_encoding(encoding).count


def rs_bpe(_, encoding):
    from rs_bpe import openai
    return str, getattr(openai, encoding)().count


def main():
    engine, vocabularies, encoding, file = sys.argv[1:]
    kind, count = globals()[engine](pathlib.Path(vocabularies), encoding)
    data = pathlib.Path(file).read_bytes()
    text = data if kind is bytes else data.decode()
    begin = time.process_time()
    tokens = count(text)
    cold = time.process_time() - begin
    warm, spent = [], 0
    while len(warm) < 3 and spent < 2:
        begin = time.process_time()
        if count(text) != tokens:
            raise SystemExit("a second pass counts otherwise than the first")
        warm.append(time.process_time() - begin)
        spent += warm[-1]
    print(tokens, cold, min(warm))


main()
