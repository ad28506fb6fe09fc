// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <condense/core/store.hpp>
#include <condense/detail/calendar.hpp>
#include <condense/detail/fnv.hpp>

// Checks an artifact store against the laws of stores:
// assert(condense::testing::check_store_laws([] { return my_store{}; }).empty()). Needs no test framework.

namespace condense {
inline namespace v1 {
namespace testing {

/// A law of stores or journals that was broken.
struct store_violation {
    std::string_view law = {};  ///< its name, such as gives_back
    std::string what = {};

    /// One line for display.
    std::string text() const { return std::string{law} + ": " + what; }
    friend bool operator==(store_violation const&, store_violation const&) = default;
};

/// How much to check.
struct store_law_options {
    std::size_t largest = std::size_t{1} << 20;  ///< bytes of the longest content or id
    std::size_t most = 20;  ///< violations that are returned
};

/// The hash of checked stores.
struct law_hash {
    std::uint64_t collisions = 0;  ///< attempts at which every content has the same name

    constexpr reference operator()(std::string_view content, std::uint64_t attempt) const noexcept {
        auto state = condense::detail::fnv1a(attempt < collisions ? std::string_view{} : content,
                                             condense::detail::fnv1a(condense::detail::fnv_basis, attempt));
        reference name;
        for (auto& byte : name.digest) {
            byte = static_cast<std::uint8_t>(state >> 56);
            state = condense::detail::fnv1a(state, byte);
        }
        name.digest.back() |= 1;  // all zero is the empty reference
        return name;
    }
};

/// What must come back byte for byte, of at most this size.
inline std::vector<std::string> hostile_contents(std::size_t largest = store_law_options{}.largest) {
    std::vector<std::string> all{
        "",
        "text",
        "{\"role\":\"user\",\"content\":\"hi\"}",
        "{\"b\":1.00,\"a\":1e5,\"a\":-0,\"big\":123456789012345678901234567890}",
        " {\t\"spaced\" : [ 1 , 2 ] } ",
        "{\n  \"pretty\": true\r\n}",
        "12",
        "\"a string\"",
        "null",
        "{\"check\":\"x\"}}",
        "not JSON: {\"a\":",
        "quotes \" and \\ and \\u0041 and \x7F",
        "\"}\n{\"number\":0,\"name\":\"000000000000000000000000\",\"made\":true}\n",
        "line\nbreaks\r\n\n",
        "\n",
        std::string("\0", 1),
        std::string("\0\xFF\x80 bytes \0", 11),
        "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
        "cut \xE2\x82",
        "\xED\xA0\x80",
        "\xFF",
        "\xFF\xFE",
        "\xFF\xFE\xFD",
        std::string(127, '[') + "1" + std::string(127, ']'),
        std::string(129, '[') + "1" + std::string(129, ']'),
        std::string(100'000, '['),
        "[\"" + std::string(1'000'000, 'x') + "\"]",
        std::string(1'000'000, '\xFE'),
    };
    std::string every;
    for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
    all.push_back(every);
    all.push_back(every.substr(0, 128));
    std::string lines;
    while (lines.size() < 1'000'000) lines.append("a line of text\n");
    all.push_back(lines);
    std::erase_if(all, [&](auto const& each) { return each.size() > largest; });
    return all;
}

namespace detail {

/// The violations of one check, `most` at most.
class violation_list {
public:
    explicit violation_list(std::size_t most) : most_{most} {}

    /// Names the law of what is expected next.
    void law(std::string_view name) { law_ = name; }
    void expect(bool holds, std::string what) {
        if (!holds && all_.size() < most_) all_.push_back({law_, std::move(what)});
    }
    void expect_done(store_error const& problem, std::string const& what) {
        if (problem) expect(false, what + " fails: " + std::string{std::string_view{problem.reason}});
    }
    std::vector<store_violation> take() { return std::move(all_); }

private:
    std::size_t most_;
    std::string_view law_ = {};
    std::vector<store_violation> all_ = {};
};

/// Calls f(0) to f(count - 1), each in a thread of its own. What they throw propagates.
template <class Function>
void in_threads(std::size_t count, Function const& f) {
    std::vector<std::future<void>> running;
    for (std::size_t thread = 0; thread < count; ++thread)
        running.push_back(std::async(std::launch::async, std::cref(f), thread));
    for (auto& each : running) each.get();
}

/// Whether a time that a store has set is one: after 2023, and no more than a day ahead of this machine's clock.
inline bool is_present(std::uint64_t time) noexcept {
    return time > 1'704'067'200 && time < condense::detail::calendar_seconds() + 86'400;
}

/// The beginning of a text without bytes that would not show.
inline std::string printable(std::string_view text) {
    std::string out{text.substr(0, 20)};
    for (char& byte : out)
        if (byte < ' ' || byte > '~') byte = '?';
    return out;
}

inline std::string label(std::size_t place, std::string_view content) {
    return "content " + std::to_string(place) + " (" + std::to_string(content.size()) + " bytes)";
}

template <class Make>
concept takes_hash = std::invocable<Make&, law_hash>;
template <class Make>
concept makes_store = takes_hash<Make> || std::invocable<Make&>;

template <class Make>
auto make_store(Make& make, [[maybe_unused]] law_hash hash = {}) {
    if constexpr (takes_hash<Make>) return make(hash);
    else return make();
}

/// In place of a callable that opens a store again.
struct never {};

template <class Make, class Reopen>
class store_check : violation_list {
    using store_type = decltype(make_store(std::declval<Make&>()));
    static_assert(condense::detail::check_store<store_type>());

public:
    store_check(Make& make, Reopen& reopen, store_law_options const& options)
        : violation_list{options.most}, make_{make}, reopen_{reopen}, contents_{hostile_contents(options.largest)} {}

    std::vector<store_violation> run() {
        gives_back();
        never_overwrites();
        if constexpr (takes_hash<Make>) never_overwrites_where_hashes_collide();
        if constexpr (listable_store<store_type>) lists();
        if constexpr (erasable_store<store_type>) erases();
        if constexpr (traceable_store<store_type>) knows_sources();
        threads();
        return take();
    }

private:
    using sizes = std::map<reference, std::uint64_t>;

    /// Puts a content, and perhaps where it is from.
    template <class... Source>
    reference add(store_type const& store, std::string_view content, Source const&... source) {
        auto const name = store.name(content);
        expect_done(store.put(name, content, source...), "put");
        return name;
    }

    void gives_back() {
        law("gives_back");
        auto const store = make_store(make_);
        std::vector<reference> names;
        for (std::size_t place = 0; place < contents_.size(); ++place) {
            auto const what = label(place, contents_[place]);
            names.push_back(store.name(contents_[place]));
            expect(static_cast<bool>(names.back()), what + " has the empty reference as its name");
            expect(!store.get(names.back()), what + " is there before it is put");
            expect_done(store.put(names.back(), contents_[place]), "put of " + what);
            expect_done(store.put(names.back(), contents_[place]), "a second put of " + what);
        }
        auto const copy = store;
        for (std::size_t place = 0; place < contents_.size(); ++place) {
            auto const what = label(place, contents_[place]);
            expect(store.get(names[place]) == contents_[place], what + " is not given back");
            expect(copy.get(names[place]) == contents_[place], what + " is not given back by a copy");
            expect(copy.name(contents_[place]) == names[place], what + " has another name once it is put");
        }
        auto const unused = store.name("never put");
        expect(!store.get(unused), "an unknown name gives something");
        expect(!store.get({}), "the empty reference gives something");
        if (!store.put(unused, "of another name"))
            expect(store.get(unused) == "of another name", "what was put under a name that is not its own is lost");
        if constexpr (!std::same_as<Reopen, never>) reopens(store, names);
    }

    void reopens(store_type const& store, std::vector<reference> const& names) {
        law("reopens");
        auto const another = make_store(reopen_);
        for (std::size_t place = 0; place < contents_.size(); ++place)
            expect(another.get(names[place]) == contents_[place],
                   label(place, contents_[place]) + " is not given back");
        if constexpr (traceable_store<store_type>) {
            artifact_source const source{.conversation = "c", .tool = "t", .call = "1", .type = "text", .time = 1};
            expect(another.source(add(store, "text", source), "c") == source, "a source is not given back");
        }
    }

    /// Puts under a name that belongs to `content`.
    void expect_taken(store_type const& store, reference const& name, std::string const& content) {
        for (auto const& other : {std::string{"two"}, content + "s", content.substr(0, 1), std::string{}})
            expect(static_cast<bool>(store.put(name, other)), "a put under a name that is taken is no error");
        expect(store.get(name) == content, "a content is lost by a put under its name");
    }

    void never_overwrites() {
        law("never_overwrites");
        auto const store = make_store(make_);
        expect_taken(store, add(store, "text"), "text");
    }

    void never_overwrites_where_hashes_collide() {
        law_hash const hash{2};
        auto const store = make_store(make_, hash);
        std::vector<std::string> const all{"one", "two", "six", std::string("\0\xFF", 2), ""};
        std::vector<reference> names;
        for (auto const& content : all) names.push_back(add(store, content));
        expect(names[0] == hash("one", 0) && names[1] == hash("two", 1), "names are not those of the hash");
        for (std::size_t place = 0; place < all.size(); ++place) {
            expect(store.get(names[place]) == all[place], "a content whose hash collides is not given back");
            expect(store.name(all[place]) == names[place], "a content whose hash collides has two names");
        }
        expect_taken(store, names[0], "one");
    }

    /// What `each` lists.
    sizes listing(store_type const& store) {
        sizes all;
        auto const problem = store.each([&](reference const& name, bytes size) {
            expect(store.get(name).has_value(), "an artifact that each lists is not given back");
            expect(all.emplace(name, size.count).second, "each lists an artifact twice");
        });
        expect_done(problem, "each");
        return all;
    }

    void lists() {
        law("lists");
        auto const store = make_store(make_);
        expect(listing(store).empty(), "each lists something of an empty store");
        sizes expected;
        for (auto const& content : contents_) expected[add(store, content)] = content.size();
        expect(listing(store) == expected, "each lists other names or sizes than were put");
    }

    void erases() {
        law("erases");
        auto const store = make_store(make_);
        expect_done(store.erase(store.name("never put")), "erase of an unknown name");
        auto const name = add(store, "text");
        auto const other = add(store, "other");
        expect_done(store.erase(name), "erase");
        expect_done(store.erase(name), "a second erase");
        expect(!store.get(name), "what was erased is given back");
        expect(store.get(other) == "other", "erase removes another content");
        if constexpr (listable_store<store_type>)
            expect(listing(store) == sizes{{other, 5}}, "each lists something else than an erase has left");
        expect(store.get(add(store, "text")) == "text", "what was erased and put again is not given back");
    }

    /// A conversation sees its own sources alone; the first put of each counts.
    void knows_sources() {
        law("knows_sources");
        auto const store = make_store(make_);
        auto const name = store.name("text");
        expect(!store.source(name, "a"), "an unknown artifact has a source");
        std::string const hostile("../;'\0*[a]\xFF", 11);
        std::map<std::string, artifact_source> const expected{
            {"a", {.conversation = "a", .tool = "shell", .call = "1", .type = "text", .time = 1'700'000'000}},
            {"", {.conversation = "", .tool = hostile, .call = hostile, .type = "", .time = 1'700'000'001}},
            {hostile, {.conversation = hostile, .tool = "", .call = "2", .type = "json", .time = 1'700'000'002}}};
        for (auto const& [conversation, source] : expected) {
            add(store, "text", source);
            add(store, "text", artifact_source{.conversation = conversation, .tool = "later"});
        }
        expect(store.get(name) == "text", "a content that was put with a source is not given back");
        auto const single = add(store, "mine", artifact_source{.conversation = "a"});
        auto const without = add(store, "of nobody");
        expect(static_cast<bool>(store.put(single, "else", {.conversation = "b"})),
               "a put with a source under a name that is taken is no error");
        auto const copy = store;
        for (auto const& [conversation, source] : expected)
            expect(copy.source(name, conversation) == source, "the source of the first put is not given back");
        expect(!copy.source(name, "b"), "a conversation sees the source of another one");
        expect(!copy.source(single, "b"), "a put that was refused has left a source");
        expect(!copy.source(without, ""), "an artifact that was put without a source has one");
        auto const own = copy.source(single, "a");
        expect(own && is_present(own->time), "the time of a source is not set");
        expect(count_sources(copy) == expected.size() + 1, "each_source lists more or fewer sources than were put");
        if constexpr (erasable_store<store_type>) {
            expect_done(store.erase(name), "erase");
            add(store, "text");
            expect(!store.source(name, "a"), "the source of what was erased is still there");
            expect(count_sources(copy) == 1, "each_source lists more or fewer sources than an erase has left");
        }
    }

    /// How many `each_source` lists, of contents of four bytes.
    std::size_t count_sources(store_type const& store) {
        std::set<std::pair<reference, std::string>> all;
        auto const problem = store.each_source([&](reference const& name, bytes size, artifact_source const& source) {
            expect(all.emplace(name, source.conversation).second, "each_source lists a source twice");
            expect(store.source(name, source.conversation) == source, "each_source lists another source");
            expect(size.count == 4, "each_source lists another size");
        });
        expect_done(problem, "each_source");
        return all.size();
    }

    /// Of eight contents for one name, put at once, one is accepted and seven are refused.
    void threads() {
        law("threads");
        auto const shared = make_store(make_);
        std::atomic<int> failures = 0;
        in_threads(8, [&, store = shared](std::size_t) {
            for (int entry = 0; entry < 12; ++entry) {
                auto const content = std::to_string(entry);
                auto const name = store.name(content);
                if (store.put(name, content) || store.get(name) != content) ++failures;
            }
        });
        expect(failures == 0, "of contents that threads put at once some are not given back");
        for (int entry = 0; entry < 12; ++entry)
            expect(shared.get(shared.name(std::to_string(entry))) == std::to_string(entry),
                   "of contents that threads put at once some are lost");
        if constexpr (takes_hash<Make>) {
            auto const colliding = make_store(make_, law_hash{2});
            auto const name = law_hash{2}({}, 0);
            std::atomic<std::size_t> successes = 0;
            std::atomic<std::size_t> winner = 0;
            in_threads(8, [&](std::size_t thread) {
                if (colliding.put(name, std::to_string(thread))) return;
                ++successes;
                winner = thread;
            });
            expect(successes == 1,
                   std::to_string(successes) + " of 8 contents put at once under one name are accepted");
            expect(colliding.get(name) == std::to_string(winner), "not the content that was accepted is given back");
        }
    }

    Make& make_;
    Reopen& reopen_;
    std::vector<std::string> contents_;
};

}  // namespace detail

/// The violations; empty if all laws held. `make(hash)` returns a new, empty store whose names are hash(content,
/// attempt); `make()` one that names in its own way, and is not asked about collisions. The laws of listable_store,
/// erasable_store and traceable_store are checked where the store is one. Puts some 7 MB.
template <class Make>
    requires detail::makes_store<Make>
std::vector<store_violation> check_store_laws(Make&& make, store_law_options const& options = {}) {
    detail::never reopen;
    return detail::store_check<std::remove_reference_t<Make>, detail::never>{make, reopen, options}.run();
}

/// The same for a durable store: `reopen` has the arguments of `make` and opens what the latest `make` has made once
/// more, while that is still open, as another process would.
template <class Make, class Reopen>
    requires detail::makes_store<Make> && detail::makes_store<Reopen>
std::vector<store_violation> check_store_laws(Make&& make, Reopen&& reopen, store_law_options const& options = {}) {
    return detail::store_check<std::remove_reference_t<Make>, std::remove_reference_t<Reopen>>{make, reopen, options}
        .run();
}

}  // namespace testing
}  // namespace v1
}  // namespace condense
