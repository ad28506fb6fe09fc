// SPDX-License-Identifier: BSL-1.0

// Claim: a pipeline of seven layers that folds results before it summarises costs at most 1.10 times the instructions
// of the same written by hand (the goal is 1.02) where the counts are kept, at most 1.20 times in one call on a
// history, and at most three allocations more. The conversation is recorded, stored, folded, shortened and summarised;
// the window and escalate are not due, which the hand-written one checks of the latter, and nobody reasons. Kept,
// messages are recorded and stored when they come, which is not counted. overhead.py counts; ./bench_run_folding 1000
// due

#include "overhead.hpp"

int main(int count, char** arguments) { return overhead::compare(count, arguments, overhead::folding); }
