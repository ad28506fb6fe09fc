#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""peers.py --program PLANTED_DUMP | --lines FILE [--count N] [--folder FOLDER]: how well do others rank?

Ranks the passages of planted questions with the packages bm25s and rank_bm25, their tokenizers as they come, and prints how
often a relevant passage is the first, among the first 3, the first 10 and the first tenth, and the mean reciprocal rank. The
questions, and our ranks of them, are what planted_dump prints: the status is 1 if our mean reciprocal rank is below that of
the best peer. The packages are installed into FOLDER; where that fails the check is skipped with status 77.
"""

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from packages import need_packages

PINNED = ["bm25s==0.3.16", "rank-bm25==0.2.2"]


def bm25s_scores(stopwords):
    def scores(question, passages):
        import bm25s
        options = {"stopwords": stopwords, "return_ids": False, "show_progress": False}
        terms = bm25s.tokenize([question], **options)[0]
        index = bm25s.BM25()
        index.index(bm25s.tokenize(passages, **options), show_progress=False)
        return index.get_scores(terms)
    return scores


def rank_bm25_scores(question, passages):
    import rank_bm25
    return rank_bm25.BM25Okapi([terms_of(each) for each in passages]).get_scores(terms_of(question))


def terms_of(text):
    return re.findall(r"\w+", text.lower())


PEERS = {"bm25s": bm25s_scores(None), "bm25s, stop words": bm25s_scores("en"), "rank_bm25": rank_bm25_scores}


def rank_of(scores, relevant):
    """The place of the first relevant passage, from 0; among equals the one that comes first is ahead."""
    places = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    return min(places.index(each) for each in relevant)


def figures(ranks, sizes):
    """Shares in the first place, the first 3, 10 and tenth; the mean reciprocal rank."""
    count = len(ranks)
    shares = [sum(rank < limit for rank in ranks) / count for limit in (1, 3, 10)]
    tenth = sum(rank < size / 10 for rank, size in zip(ranks, sizes)) / count
    return [*shares, tenth, sum(1 / (rank + 1) for rank in ranks) / count]


def questions_of(chosen):
    """The lines, one at a time."""
    if chosen.lines:
        with open(chosen.lines, encoding="utf-8") as file:
            yield from map(json.loads, file)
        return
    with subprocess.Popen([chosen.program, str(chosen.count)], stdout=subprocess.PIPE, encoding="utf-8") as run:
        yield from map(json.loads, run.stdout)
    if run.returncode != 0:
        sys.exit(f"peers: {chosen.program} ended with status {run.returncode}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = options.add_mutually_exclusive_group(required=True)
    source.add_argument("--program")
    source.add_argument("--lines")
    options.add_argument("--count", type=int, default=500)
    options.add_argument("--folder", default="peers")
    chosen = options.parse_args()
    need_packages("peers", PINNED, chosen.folder, "--only-binary", ":all:")

    ranks, sizes = {name: [] for name in ["ours", *PEERS]}, []
    for each in questions_of(chosen):
        sizes.append(len(each["passages"]))
        ranks["ours"].append(each["rank"])
        for name, scores in PEERS.items():
            ranks[name].append(rank_of(list(scores(each["question"], each["passages"])), each["relevant"]))
    if not sizes:
        sys.exit("peers: there are no questions")
    print(f"{len(sizes)} questions, {sum(sizes) / len(sizes):.0f} passages each")
    print(f"{'':20}{'first':>8}{'in 3':>8}{'in 10':>8}{'in 10 %':>9}{'mean 1/rank':>13}")
    found = {name: figures(of, sizes) for name, of in ranks.items()}
    for name, (first, three, ten, tenth, mean) in found.items():
        print(f"{name:20}{first:8.3f}{three:8.3f}{ten:8.3f}{tenth:9.3f}{mean:13.4f}")
    best = max(found[name][-1] for name in PEERS)
    if found["ours"][-1] < best:
        print(f"FAIL  ours is {best - found['ours'][-1]:.4f} below the best peer")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
