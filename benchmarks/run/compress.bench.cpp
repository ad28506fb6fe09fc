// SPDX-License-Identifier: BSL-1.0

// Claim: compressing large results to both ends costs at most 1.10 times the instructions of the same written by hand
// (the goal is 1.02) where the counts are kept, at most 1.20 times in one call on a history, and at most three
// allocations more. overhead.py counts; ./bench_run_compress 1000 due

#include "overhead.hpp"

int main(int count, char** arguments) { return overhead::compare(count, arguments, overhead::compress); }
