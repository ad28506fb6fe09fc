// SPDX-License-Identifier: BSL-1.0

// How do I count tokens exactly, with a vocabulary file of mine, in a session, a reduction and a text that grows?
// count_exactly [cl100k_base.tiktoken]; without one it makes a vocabulary of bytes, which has a token for each.

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <condense/adapt/chat_message.hpp>
#include <condense/bpe.hpp>
#include <condense/condense.hpp>

#include "check.hpp"

using condense::chat_message;
using namespace condense::literals;

namespace {

std::string vocabulary_of_bytes() {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::ofstream file{"bytes.tiktoken", std::ios::binary};
    for (std::size_t byte = 0; byte < 256; ++byte)
        file << digits[byte / 4] << digits[byte % 4 * 16] << "== " << byte << '\n';
    return "bytes.tiktoken";
}

}  // namespace

int main(int count, char** arguments) {
    auto const file = count > 1 ? std::string{arguments[1]} : vocabulary_of_bytes();
    auto const encoding = count > 1 ? condense::encodings::cl100k_base : condense::bpe_encoding{"bytes"};

    auto const result = condense::load_vocabulary(file, encoding, file + ".image");  // built once, then mapped
    if (!result) {
        std::fprintf(stderr, "%s: %s\n", file.c_str(), result.error.text().c_str());
        return 1;
    }
    condense::bpe const exact{*result.vocabulary};

    condense::pipeline const mix{condense::compress{.when = condense::used >= 65_pct},
                                 condense::sliding_window{.when = condense::used >= 90_pct}};
    condense::session session{std::vector<chat_message>{}, mix, condense::budget{.window = 8'000_tokens}, exact};
    for (int turn = 0; turn < 40; ++turn)
        if (session.push(chat_message::user("Say again, 日本 or " + std::string(1'000, 'x'))))
            check(session.prepare().fits());

    auto history = session.history();
    auto const report = condense::reduce(history, mix, {.window = 4'000_tokens}, exact);
    check(report.fits() && report.after.source == condense::usage_source::estimated);

    condense::bpe_counter counter{exact.vocabulary()};  // one for each thread; the vocabulary is shared
    condense::bpe_running_count running;
    for (std::string_view const piece : {"def f(", "x):", "\n    ret", "urn x", "\n"}) running.append(counter, piece);
    check(running.count() == counter.count("def f(x):\n    return x\n"));
    check(counter.encode("def f(x):\n").size() == counter.count("def f(x):\n"));

    check(counter.count("\xFF") == counter.count("\xEF\xBF\xBD"));  // what is not UTF-8 counts as U+FFFD
    check(counter.count("<|endoftext|>") > 1);                       // and special tokens as text
}
