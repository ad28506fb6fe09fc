#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the default estimator on whole requests, the recorded conversations, beside exact tokens.

  check_estimates.py FOLDER

For each family of models the mean error is at most 6 %, and no conversation is more than 10 % below its exact tokens.
exact_tokens.json has these: texts, names and ids by the vocabularies that the weights were fitted to, and a frame for
each message; images are left out. The weights were fitted to these conversations, too: benchmarks/tokens/fit_script.py
prints the errors of weights that were fitted without a conversation's family.
"""

import sys

sys.dont_write_bytecode = True

import json
from pathlib import Path

from conversation import Conversation, Estimator, parse_json
from estimate import UNITS

MEAN, UNDER = 6.0, -10.0


def estimated(path, family):
    estimator = Estimator(family)
    readings = Conversation(parse_json(path.read_text(encoding="utf-8")), estimator).readings
    parts = [part for reading in readings for part in reading.parts if part.flat is None]
    return (estimator.frame * len(readings) + sum(map(estimator.part, parts))) / UNITS


def main(folder):
    exact = json.loads(Path(__file__).with_name("exact_tokens.json").read_text())
    here = {path.name: path for path in sorted(Path(folder).glob("*.json"))}
    for name in sorted(here.keys() ^ exact.keys()):
        print(f"skipped: {name} is only in {'the folder' if name in here else 'exact_tokens.json'}")
    names = sorted(here.keys() & exact.keys())
    if not names:
        return print("skipped: there is no conversation whose exact tokens are known")
    failed = False
    for family in exact[names[0]]:
        errors = {name: (estimated(here[name], family) / exact[name][family] - 1) * 100 for name in names}
        mean, worst = sum(map(abs, errors.values())) / len(errors), min(errors, key=errors.get)
        print(f"{family}: {len(names)} conversations, mean error {mean:.1f} %, {errors[worst]:+.1f} % on {worst}")
        failed = failed or mean > MEAN or errors[worst] < UNDER
    sys.exit(f"condense: the mean may be {MEAN} %, and no error below {UNDER} %" if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:2] or sys.exit(__doc__))
