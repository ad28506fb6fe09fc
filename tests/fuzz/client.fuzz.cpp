// SPDX-License-Identifier: BSL-1.0

// Answers of servers, as bodies and as streams of events: however a stream is cut into packets, the same comes of it;
// an answer is an error, or messages that can be sent back; what was shown is the text that is returned.

#include <condense/client/anthropic_client.hpp>
#include <condense/client/gemini_client.hpp>
#include <condense/client/openai_client.hpp>
#include <condense/client/retry.hpp>
#include <condense/detail/utf8.hpp>

#include "fuzz/fuzz.hpp"

namespace {

using condense::detail::client::answer;
using json = nlohmann::ordered_json;

struct outcome {
    answer given;
    std::string shown;
};

/// What a client makes of it; `cuts` says where packets end, or there is one.
template <class Protocol>
outcome read(std::string_view text, bool stream, std::optional<byte_source> cuts) {
    outcome result;
    condense::delivery show{[](void* to, std::string_view piece) { static_cast<std::string*>(to)->append(piece); },
                            &result.shown};
    typename Protocol::reader reader;
    if (stream) {
        condense::event_reader events;
        auto const event = [&](std::string_view data) {
            condense::detail::client::read_answer(reader, data, true, show);
        };
        bool good = true;
        while (!text.empty() && good) {
            auto const size = cuts ? 1 + cuts->below(64) : text.size();
            good = events.feed(text.substr(0, size), event) && !reader.result.error;
            text.remove_prefix((std::min)(size, text.size()));
        }
        if (good) events.finish(event);
    } else condense::detail::client::read_answer(reader, text, false, show);
    if (!reader.result.error) reader.finish();
    result.given = std::move(reader.result);
    return result;
}

bool same(outcome const& left, outcome const& right) {
    return left.shown == right.shown && left.given.messages == right.given.messages &&
           left.given.text == right.given.text && left.given.refusal == right.given.refusal &&
           left.given.stop == right.given.stop && left.given.usage == right.given.usage &&
           left.given.error.status == right.given.error.status && left.given.error.text == right.given.error.text &&
           left.given.complete == right.given.complete;
}

template <class Protocol>
void check(std::string_view text, bool stream, byte_source cuts) {
    auto const got = read<Protocol>(text, stream, cuts);
    fuzz::require(same(got, read<Protocol>(text, stream, std::nullopt)), "packets do not matter");
    auto const& given = got.given;
    for (auto const* const each : {&given.text, &given.refusal, &given.stop, &got.shown})
        fuzz::require(condense::detail::utf8::valid(*each), "texts are UTF-8");
    if (given.error) return fuzz::require(!given.error.text.empty(), "an error says something");
    for (auto const& message : given.messages) {
        fuzz::require(message.is_object(), "a message is an object");
        fuzz::require(!condense::detail::dump_of(message).empty(), "it can be written");
    }
}

void check_error(std::string_view text, int status) {
    auto error = condense::detail::client::error_of(status, text);
    fuzz::require(!error.text.empty(), "an error says something");
    fuzz::require(status == 0 || error.status == status, "the status of the answer counts");
    condense::client_settings const settings{.key = "sk-of-nobody"};
    condense::detail::client::clean(error.text, settings);
    fuzz::require(error.text.find(settings.key) == std::string::npos, "the key is in no error");
    fuzz::require(error.text.size() <= 2'000 && condense::detail::utf8::valid(error.text), "an error is a short text");
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("client", "words"), .mutations = 20'000};
    std::string const cuts(8, '\2');
    for (char protocol = 0; protocol < 4; ++protocol) {
        made.add(std::string{protocol, '\0'} + cuts, listed("client", "bodies"));
        if (protocol != 3) made.add(std::string{protocol, '\1'} + cuts, listed("client", "streams"));
    }
    return made;
}

void fuzz::try_input(byte_source bytes) {
    auto const protocol = bytes.below(4);
    bool const stream = bytes.below(2) == 1;
    byte_source const cuts{bytes.take(8)};
    auto const text = bytes.rest();
    switch (protocol) {
        case 0: check<condense::detail::openai_protocol>(text, stream, cuts); break;
        case 1: check<condense::detail::anthropic_protocol>(text, stream, cuts); break;
        case 2: check<condense::detail::gemini_protocol>(text, stream, cuts); break;
        default: check_error(text, stream ? 400 + static_cast<int>(text.size() % 200) : 0);
    }
}
