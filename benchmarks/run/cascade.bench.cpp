// SPDX-License-Identifier: BSL-1.0

// Claim: presets::cascade costs at most 1.10 times the instructions of the same written by hand (the goal is 1.02)
// where the counts are kept, at most 1.20 times in one call on a history, and at most three allocations more. The
// conversation is recorded, stored, sampled, dropped and summarised as far as it is due; escalate is not, which the
// hand-written one checks. Kept, messages are recorded and stored when they come, which is not counted. overhead.py
// counts; ./bench_run_cascade 1000 due

#include "overhead.hpp"

int main(int count, char** arguments) { return overhead::compare(count, arguments, overhead::cascade); }
