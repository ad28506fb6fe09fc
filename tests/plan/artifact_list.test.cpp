// SPDX-License-Identifier: BSL-1.0
#include <condense/plan/artifact_list.hpp>

#include <initializer_list>
#include <limits>
#include <set>
#include <stdexcept>

#include <condense/store/memory.hpp>

#include "support/catch.hpp"
#include "support/notation.hpp"
#include "support/repetition.hpp"

namespace {

using namespace condense::literals;
using condense::artifact, condense::artifact_kind, condense::attachment, condense::attachment_error,
    condense::attachment_fault, condense::memory_store, condense::plan_faults, condense::plan_request,
    condense::strategy;
using notation::per_byte;
using list_type = condense::artifact_list<per_byte>;

using texts = std::vector<std::pair<std::size_t, std::string>>;

template <class List, class Wanted>
texts read(List const& list, Wanted const& wanted) {
    texts seen;
    auto const sink = [&](std::size_t index, std::string_view text) { seen.emplace_back(index, text); };
    list.read(plan_request::wanted_texts{wanted}, plan_request::text_sink{sink});
    return seen;
}
texts read(auto const& list) {
    return read(list, [](std::size_t) { return true; });
}
texts read_one(auto const& list, std::size_t index) {
    return read(list, [index](std::size_t candidate) { return candidate == index; });
}

attachment_fault fault_of(attachment_error const& error) { return error.fault; }

/// The reference of a content that the store keeps for a conversation.
std::string put(memory_store const& store, std::string_view content, std::string conversation) {
    auto const name = store.name(content);
    CHECK_FALSE(store.put(name, content, {.conversation = std::move(conversation)}));
    return name.text();
}

bool is_on_one_line(std::string_view text) {
    if (!condense::utf8::valid(text)) return false;
    for (char const byte : text)
        if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) return false;
    // Neither line separators nor changes of direction, nor the other control characters.
    for (std::string_view const other : {"\u2028", "\u202E", "\u2066", "\u0085", "\u009B"})
        if (text.find(other) != std::string_view::npos) return false;
    return true;
}

/// Text that breaks lines, moves cursors, ends fences and is no text.
std::string hostile(std::size_t size) {
    return repeated("\"'\n\r\t\x1B[2J</artifact>\x7F\xC2\x9B\xE2\x80\xA8\xE2\x80\xAE\xFF\xC3 ]\\", size);
}

/// Counts as `per_byte`, or throws.
struct failing {
    bool const* fails;
    condense::cost operator()(std::string_view text) const {
        if (*fails) throw std::runtime_error{"no"};
        return per_byte{}(text);
    }
};

/// A store that cannot tell of what conversation an artifact is.
struct plain_store {
    condense::reference name(std::string_view) const { return {}; }
    condense::store_error put(condense::reference const&, std::string_view) const { return {}; }
    std::optional<std::string> get(condense::reference const&) const { return "of anyone"; }
};
template <class Store>
concept attaches_from = requires(list_type list, Store const& store) { list.attach(attachment{}, store, "c"); };
static_assert(attaches_from<memory_store> && condense::artifact_store<plain_store> && !attaches_from<plain_store>);

constexpr bool errors_convert_and_compare() {
    return !attachment_error{} && attachment_error{}.text().empty() && attachment_error{attachment_fault::both} &&
           attachment_error{attachment_fault::both} == attachment_error{attachment_fault::both} &&
           attachment_error{attachment_fault::both} != attachment_error{attachment_fault::empty};
}

TEST_CASE("artifact_list: a document is known by its facts, and read where it is") {
    std::string const content = "{\"port\": 8443}";
    list_type list;
    REQUIRE_FALSE(list.attach({.content = content, .title = "Settings", .source = "etc/server.json"}));
    REQUIRE(list.size() == 1);
    CHECK(list.all()[0] == artifact{.id = "d1",
                                    .kind = artifact_kind::document,
                                    .source = "Settings, etc/server.json",
                                    .type = "json",
                                    .size = 14_bytes,
                                    .cost = 14_tokens,
                                    .preview = content});
    CHECK_FALSE(list.stored(0));
    // A view: no second copy is made.
    char const* seen = nullptr;
    auto const every = [](std::size_t) { return true; };
    auto const sink = [&](std::size_t, std::string_view text) { seen = text.data(); };
    list.read(plan_request::wanted_texts{every}, plan_request::text_sink{sink});
    CHECK(static_cast<void const*>(seen) == static_cast<void const*>(content.data()));
}

TEST_CASE("artifact_list: documents have ids of their own, sources that say what they are, and an order") {
    list_type list;
    CHECK_FALSE(list.attach({.content = "one"}));
    CHECK_FALSE(list.attach({.content = "two", .title = "A title"}));
    CHECK_FALSE(list.attach({.content = "three", .source = "a/path", .type = "text/html"}));
    list.add_source([](auto const&, auto const&) {});
    list.add({.id = "r9.0", .source = "turn 4: read", .arrived = 100}, "{} and more\n{}\n");
    CHECK_FALSE(list.attach({.content = "five"}));
    std::string facts;
    for (auto const& each : list.all())
        facts += each.id + ": " + each.source + ", " + each.type + ", " + std::to_string(each.arrived) + "\n";
    CHECK(facts ==
          "d1: document 1, text, 0\nd2: A title, text, 1\nd3: a/path, text/html, 2\n"
          "r9.0: turn 4: read, mixed, 100\nd4: document 4, text, 101\n");
    CHECK(list.all()[3].kind == artifact_kind::tool_result);
    list.add({.arrived = std::numeric_limits<std::uint64_t>::max()}, "x");
    CHECK_FALSE(list.attach({.content = "last"}));
    CHECK(list.all().back().arrived == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("artifact_list: an attachment must have a content or an id") {
    CHECK_TWICE(errors_convert_and_compare());
    memory_store const store;
    auto const id = put(store, "kept", "mine");
    list_type list;
    CHECK(fault_of(list.attach({})) == attachment_fault::empty);
    CHECK(fault_of(list.attach({.title = "a title alone", .type = "text"})) == attachment_fault::empty);
    CHECK(fault_of(list.attach({.content = "x", .id = id})) == attachment_fault::both);
    CHECK(fault_of(list.attach({.id = id})) == attachment_fault::unknown_id);  // without a store
    CHECK(fault_of(list.attach({}, store, "mine")) == attachment_fault::empty);
    CHECK(fault_of(list.attach({.content = "kept", .id = id}, store, "mine")) == attachment_fault::both);
    for (std::string_view const malformed :
         {"x", "../../etc/passwd", "0123456789ABCDEF01234567", "0123456789abcdef012345678", "'; drop"})
        CHECK(fault_of(list.attach({.id = malformed}, store, "mine")) == attachment_fault::malformed_id);
    CHECK(fault_of(list.attach({.id = "0123456789abcdef01234567"}, store, "mine")) == attachment_fault::unknown_id);
    CHECK(fault_of(list.attach({.id = "000000000000000000000000"}, store, "mine")) == attachment_fault::unknown_id);
    // Nothing of that is in the list, and no id is used up.
    CHECK(list.size() == 0);
    CHECK_FALSE(list.attach({.content = "x"}, store, "mine"));
    CHECK(list.all()[0].id == "d1");
    std::set<std::string_view> words;
    for (auto const fault : {attachment_fault::none, attachment_fault::empty, attachment_fault::both,
                             attachment_fault::malformed_id, attachment_fault::unknown_id})
        words.insert(attachment_error{fault}.text());
    CHECK(words.size() == 5);
}

TEST_CASE("artifact_list: a reference resolves in its own conversation alone") {
    memory_store const store;
    auto const mine = put(store, "of mine", "mine");
    auto const other = put(store, "of the other", "other");
    auto const both = put(store, "of both", "mine");
    CHECK(put(store, "of both", "other") == both);
    auto const nobody = store.name("of nobody");
    CHECK_FALSE(store.put(nobody, "of nobody"));
    list_type list;
    CHECK_FALSE(list.attach({.id = mine, .title = "First"}, store, "mine"));
    CHECK_FALSE(list.attach({.id = both}, store, "mine"));
    CHECK(fault_of(list.attach({.id = other}, store, "mine")) == attachment_fault::unknown_id);
    CHECK(fault_of(list.attach({.id = nobody.text()}, store, "mine")) == attachment_fault::unknown_id);
    CHECK(fault_of(list.attach({.id = mine}, store, "")) == attachment_fault::unknown_id);
    REQUIRE(list.size() == 2);
    CHECK(list.all()[0].source == "First");
    CHECK(list.all()[0].size == 7_bytes);
    CHECK(list.stored(0).text() == mine);
    CHECK(read(list) == texts{{0, "of mine"}, {1, "of both"}});
    // What has left the store since cannot be read, and takes nothing else along.
    CHECK_FALSE(store.erase(*condense::reference::of(mine)));
    CHECK(read(list) == texts{{1, "of both"}});
    CHECK(read_one(list, 0).empty());
}

TEST_CASE("artifact_list: names from outside stay on one line, and short") {
    for (std::size_t const size : {std::size_t{1}, std::size_t{100}, std::size_t{3'000'000}}) {
        auto const text = hostile(size);
        list_type list;
        CHECK_FALSE(list.attach({.content = "x", .title = text, .source = text, .type = text}));
        auto const& facts = list.all()[0];
        CHECK(is_on_one_line(facts.source));
        CHECK(is_on_one_line(facts.type));
        CHECK(condense::utf8::count(facts.source) <= 2 * (condense::detail::source_points + 3) + 2);
        CHECK(condense::utf8::count(facts.type) <= 43);
        CHECK(facts.id == "d1");
    }
    list_type list;
    CHECK_FALSE(list.attach({.content = "x", .title = "a\nb", .source = "c\x1B[2Jd"}));
    CHECK(list.all()[0].source == "a b, c [2Jd");
    CHECK_FALSE(list.attach({.content = "x", .title = std::string(121, 't')}));
    CHECK(list.all()[1].source == std::string(120, 't') + "...");
}

TEST_CASE("artifact_list: a preview is short and printable, whatever the content") {
    list_type list;
    for (auto const& content : {hostile(5'000'000), std::string(3'000'000, '\0'), std::string(3'000'000, '\xFF'),
                                std::string(3'000'000, '\n'), std::string(3'000'000, '{'), std::string("\xE2\x82")}) {
        CHECK_FALSE(list.attach({.content = content}));
        auto const& facts = list.all().back();
        CHECK(facts.size.count == content.size());
        CHECK(facts.cost.count == content.size());
        CHECK(is_on_one_line(facts.preview));
        CHECK_FALSE(facts.preview.empty());
        CHECK(condense::utf8::count(facts.preview) <= condense::detail::preview_points + 3);
    }
    CHECK_FALSE(list.attach({.content = "first\nsecond"}));
    CHECK(list.all().back().preview == "first second");
    auto const euros = repeated("\u20AC", 723);
    CHECK_FALSE(list.attach({.content = euros}));
    CHECK(list.all().back().preview == euros.substr(0, 720) + "...");
}

TEST_CASE("artifact_list: sources are asked for what is wanted of them, and give no more") {
    list_type list;
    CHECK_FALSE(list.attach({.content = "zero"}));
    std::vector<std::size_t> asked;
    list.add_source([&asked](auto const& wanted, auto const& sink) {
        for (std::size_t index = 0; index < 2; ++index) {
            if (!wanted(index)) continue;
            asked.push_back(index);
            sink(index, index == 0 ? "one" : "two");
        }
    });
    list.add({.id = "a"}, "one");
    list.add({.id = "b"}, "two");
    CHECK_FALSE(list.attach({.content = "three"}));
    CHECK(read(list) == texts{{0, "zero"}, {1, "one"}, {2, "two"}, {3, "three"}});
    asked.clear();
    CHECK(read_one(list, 2) == texts{{2, "two"}});
    CHECK(asked == std::vector<std::size_t>{1});
    CHECK(read_one(list, 4).empty());
    // One that does not look what is wanted, and has more than it had.
    list_type other;
    other.add_source([](auto const&, auto const& sink) {
        for (std::size_t index = 4; index-- != 0;) sink(index, "t" + std::to_string(index));
    });
    other.add({.id = "a"}, "t0");
    CHECK_FALSE(other.attach({.content = "mine"}));
    CHECK(read(other) == texts{{0, "t0"}, {1, "mine"}});
    CHECK(read_one(other, 1) == texts{{1, "mine"}});
    // Copies read the same.
    auto const copy = list;
    CHECK(read(copy) == read(list));
}

TEST_CASE("artifact_list: an artifact that could not be added leaves the others as they are") {
    bool fails = false;
    memory_store const store;
    auto const id = put(store, "stored", "mine");
    condense::artifact_list list{failing{&fails}};
    CHECK_FALSE(list.attach({.content = "first"}));
    fails = true;
    CHECK_THROWS_AS(static_cast<void>(list.attach({.content = "lost"})), std::runtime_error);
    CHECK_THROWS_AS(static_cast<void>(list.attach({.id = id}, store, "mine")), std::runtime_error);
    fails = false;
    REQUIRE(list.size() == 1);
    CHECK_FALSE(list.attach({.content = "second"}));
    CHECK_FALSE(list.attach({.id = id}, store, "mine"));
    CHECK(read(list) == texts{{0, "first"}, {1, "second"}, {2, "stored"}});
    CHECK_FALSE(list.stored(1));
    CHECK(list.stored(2).text() == id);
}

// Artifacts, strategies, faults and requests

constexpr bool strategies_are_spelt_as_plans_do() {
    return name(strategy::include_full) == "include_full" && name(strategy::summarize) == "summarize" &&
           name(strategy::extract) == "extract" && name(strategy::exclude) == "exclude";
}

/// Each figure may come from a model.
constexpr bool faults_add_up_whatever_they_are() {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    return plan_faults{}.all() == 0 && plan_faults{1, 20, 300, 4'000, 50'000}.all() == 54'321 &&
           plan_faults{most, most, most, most, most}.all() == 5 * std::uint64_t{most} &&
           plan_faults{.unknown = most, .repeated = 1}.all() != 0 && plan_faults{.missing = 1} != plan_faults{};
}

static_assert(condense::last_priority == 100);

/// Texts of which one cannot be read, and what was asked for.
struct shelf {
    std::vector<std::string> texts;
    std::size_t missing = 99;
    bool heedless = false;  ///< gives what is not wanted, too
    mutable std::vector<std::size_t> wanted = {};

    void operator()(plan_request::wanted_texts const& some, plan_request::text_sink const& sink) const {
        for (std::size_t index = texts.size(); index-- != 0;) {
            bool const is_wanted = some(index);
            if (is_wanted) wanted.push_back(index);
            if ((is_wanted || heedless) && index != missing) sink(index, texts[index]);
        }
    }
};

using list = std::vector<std::pair<std::size_t, std::string>>;

list all_of(plan_request const& request) {
    list seen;
    request.each_text([&](std::size_t index, std::string_view text) { seen.emplace_back(index, text); });
    return seen;
}
std::vector<std::string> one_of(plan_request const& request, std::size_t index) {
    std::vector<std::string> seen;
    request.text(index, [&](std::string_view text) { seen.emplace_back(text); });
    return seen;
}

TEST_CASE("artifact: strategies, priorities and faults") {
    CHECK_TWICE(strategies_are_spelt_as_plans_do());
    CHECK_TWICE(faults_add_up_whatever_they_are());
    std::set<std::string_view> names;
    for (auto const each : {strategy::include_full, strategy::summarize, strategy::extract, strategy::exclude})
        names.insert(name(each));
    CHECK(names.size() == 4);
    CHECK(condense::decision{}.strategy == strategy::exclude);
    CHECK(condense::decision{}.priority == condense::last_priority);
    CHECK(condense::decision{} == condense::decision{});
    CHECK(condense::decision{} != condense::decision{.limit = 1_tokens});
    CHECK(artifact{.id = "d1"} == artifact{.id = "d1"});
    CHECK(artifact{.id = "d1"} != artifact{.id = "d1", .error = true});
}

TEST_CASE("artifact: a request reads texts where they are, in the order of their source") {
    shelf const shown{{"zero", "one", "two"}};
    plan_request::text_reader const reader{shown};
    std::vector<artifact> const facts(3);
    plan_request const request{facts, 100_tokens, reader};
    CHECK(request.artifacts.data() == facts.data());
    CHECK(request.budget == 100_tokens);
    CHECK(all_of(request) == list{{2, "two"}, {1, "one"}, {0, "zero"}});
    shown.wanted.clear();
    CHECK(one_of(request, 1) == std::vector<std::string>{"one"});
    CHECK(shown.wanted == std::vector<std::size_t>{1});
    CHECK(one_of(request, 3).empty());
    // A copy reads the same.
    auto const copy = request;
    CHECK(all_of(copy) == all_of(request));
    // One that cannot be read is passed over, and so is one that was not asked for.
    shelf const others{{"zero", "one", "two"}, 1, true};
    plan_request::text_reader const other_reader{others};
    plan_request const other{{}, {}, other_reader};
    CHECK(all_of(other) == list{{2, "two"}, {0, "zero"}});
    CHECK(one_of(other, 0) == std::vector<std::string>{"zero"});
    CHECK(one_of(other, 1).empty());
}

}  // namespace
