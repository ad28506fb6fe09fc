// SPDX-License-Identifier: BSL-1.0
#include <any>
#include <variant>

#include <condense/condense.hpp>
#include <condense/store/memory.hpp>
#include <condense/store/memory_journal.hpp>

#include "support/catch.hpp"
#include "support/mixes.hpp"

// Layers and pipelines are values: a program may keep them wherever it keeps values, whatever their
// slots hold.

namespace {

using namespace vocabulary;

// What a program's own policies may be: callables that remember something and have no default.

auto is_like(std::string words) {
    return [words = std::move(words)](part_view const& part) { return part.text == words; };
}
auto says(std::string words) {
    return [words = std::move(words)](std::string_view) { return words; };
}
auto cuts_to(std::string words) {
    return [words = std::move(words)](part_view const& part, cut) -> std::optional<std::string> {
        if (part.text.size() <= words.size()) return std::nullopt;
        return words;
    };
}

/// A handle that only a program can make.
class shelf {
public:
    explicit shelf(std::shared_ptr<std::vector<std::string>> kept) : kept_{std::move(kept)} {}
    condense::reference name(std::string_view content) const { return condense::content_hash{}(content, 0); }
    std::optional<std::string> get(condense::reference const&) const { return std::nullopt; }
    condense::store_error put(condense::reference const&, std::string_view content) const {
        kept_->emplace_back(content);
        return {};
    }
    friend bool operator==(shelf const&, shelf const&) = default;

private:
    std::shared_ptr<std::vector<std::string>> kept_;
};

/// A trigger that needs a value.
struct above {
    explicit constexpr above(std::uint64_t tokens) : limit{tokens} {}

    constexpr bool due(usage const& now) const noexcept { return now.tokens.count > limit; }
    constexpr condense::measure fired(usage const&) const { return condense::measure::token_count; }
    constexpr auto bind(condense::tokens) const { return (used > condense::tokens{limit}).bind({}); }
    constexpr auto target() const { return used <= condense::tokens{limit / 2}; }
    constexpr condense::messages message_limit() const { return {}; }
    friend constexpr bool operator==(above, above) = default;

    std::uint64_t limit;
};

/// Saves: whether its first layer has something to do below.
template <bool Saves = true, class Layer>
void lives_anywhere(Layer const& given) {
    // A question, not a demand: it has an answer, whatever that is.
    STATIC_REQUIRE((std::is_default_constructible_v<Layer> || !std::is_default_constructible_v<Layer>));
    STATIC_REQUIRE(std::copy_constructible<Layer>);

    std::tuple<int, Layer> const pair{1, given};
    auto const other = pair;
    auto [number, layer] = other;
    std::optional<Layer> maybe;
    maybe.emplace(std::move(layer));
    std::variant<std::monostate, Layer> const either{*maybe};
    std::vector<Layer> several(3, std::get<1>(either));
    several.push_back(std::move(*maybe));
    std::any const anything{several.back()};
    std::unique_ptr<Layer> const owned = std::make_unique<Layer>(*std::any_cast<Layer>(&anything));
    auto const pass_on = [](auto&& one) -> decltype(auto) { return std::forward<decltype(one)>(one); };
    std::function<Layer()> const made = [kept = pass_on(*owned)] { return kept; };

    struct holder {
        Layer first;
        std::optional<Layer> second = {};
    };
    holder const held{made()};
    auto copied = held;
    auto const moved = std::move(copied);
    CHECK(number == 1);
    if constexpr (std::equality_comparable<Layer>) {
        CHECK(moved.first == given);
        CHECK(pair == other);
    }
    if constexpr (std::is_copy_assignable_v<Layer>) {
        several.erase(several.begin());
        several.insert(several.begin(), given);
        std::swap(several.front(), several.back());
        maybe = several.front();
    }

    // What has been about still works.
    auto const log = fakes::repeated("Line 12 of 40 is fine. ", 87);
    conversation history;
    for (int turn = 0; turn < 8; ++turn) history += {U("Read it."), C("c", "read"), R("c", log), A("Read.")};
    auto twin = history;
    auto const there = condense::reduce(history, pipeline<Layer>{moved.first}, {.window = 3'000_tokens});
    auto const here = condense::reduce(twin, pipeline<Layer>{given}, {.window = 3'000_tokens});
    CHECK(history == twin);
    CHECK(there.layers[0].saved == here.layers[0].saved);
    CHECK((here.layers[0].saved.count != 0) == Saves);
}

template <class... Layers>
void live_anywhere(Layers const&... layers) {
    (lives_anywhere(layers), ...);
}

}  // namespace

TEST_CASE("held: layers with the slots they have by default") {
    live_anywhere(compress{.over = 1'000_chars, .with = head{.keep = 100_chars}}, summarize{}, sliding_window{},
                  offload{.over = 1'000_chars, .preview = condense::tail{100_chars}, .into = condense::memory_store{}});
    lives_anywhere<false>(repair{});
    lives_anywhere<false>(record{.to = condense::memory_journal{}});
}

TEST_CASE("held: layers and pipelines that remember, and what compares") {
    auto const kept = std::make_shared<std::vector<std::string>>();
    SECTION("layers whose slots hold callables that remember") {
        live_anywhere(compress{.protect = is_like("x"), .over = 100_chars, .with = cuts_to("...")},
                      offload{.protect = last(1_messages) | is_like("x"),
                              .over = 100_chars,
                              .preview = cuts_to("..."),
                              .into = shelf{kept}},
                      summarize{.protect = is_like("x"), .with = says("They read.")},
                      summarize{.protect = condense::at_most(10_pct, task | is_like("x")), .with = condense::extract{}},
                      sliding_window{.protect = condense::at_most(10_pct, is_like("x") | condense::errors)});
        CHECK(!kept->empty());
    }
    SECTION("pipelines, nested ones, too") {
        auto const remembers =
            pipeline{offload{.over = 100_chars, .preview = cuts_to("..."), .into = shelf{kept}},
                     pipeline{summarize{.with = says("They read.")}, sliding_window{.protect = is_like("x")}},
                     escalate{.when = used >= 90_pct}};
        lives_anywhere(remembers);
        lives_anywhere(fallback{summarize{.with = says("They read.")}, sliding_window{}});
        lives_anywhere(
            pipeline{compress{.over = 100_chars, .with = condense::tail{.keep = 50_chars}}, sliding_window{}});

        conversation history(30, U(letters(1'000)));
        std::optional<std::remove_const_t<decltype(remembers)>> late;
        late.emplace(remembers);
        condense::session session{std::move(history), *late, condense::budget{.window = 3'000_tokens}};
        CHECK(session.prepare().fits());
        CHECK(pipeline<>{} == pipeline<>{});
    }
    SECTION("layers compare where what they hold does") {
        auto const stored = offload{.over = 100_chars, .preview = head{10_chars}, .into = shelf{kept}};
        auto other = stored;
        CHECK(stored == other);
        other.over = 101_chars;
        CHECK(stored != other);
        CHECK(stored != offload{.over = 100_chars, .preview = head{10_chars}, .into = shelf{nullptr}});
        CHECK(compress{.when = used >= 10_pct} == compress{.when = used >= 10_pct});
        CHECK(compress{.when = used >= 10_pct} != compress{.when = used >= 11_pct});
        CHECK(sliding_window{} != sliding_window{.when = used >= 50_pct});
        CHECK(escalate{} != escalate{.passes = 3});
        CHECK(summarize{} != summarize{.size = 100_tokens});
        CHECK(repair{} != repair{.answer = "none"});
        CHECK(pipeline{compress{}, sliding_window{}} == pipeline{compress{}, sliding_window{}});
        CHECK(pipeline{compress{}, sliding_window{}} != pipeline{compress{}, sliding_window{.when = used >= 50_pct}});

        auto const predicate = is_like("x");
        STATIC_REQUIRE(!std::equality_comparable<decltype(sliding_window{.protect = predicate})>);
        STATIC_REQUIRE(!std::equality_comparable<decltype(pipeline{sliding_window{.protect = predicate}})>);
        bool (*const plain)(part_view const&) = [](part_view const&) { return true; };
        CHECK(sliding_window{.protect = task | plain} == sliding_window{.protect = task | plain});

        constexpr pipeline mix{sliding_window{}, escalate{}};
        STATIC_REQUIRE(mix == pipeline{sliding_window{}, escalate{}});
    }
}

TEST_CASE("held: layers whose triggers have no default") {
    live_anywhere(compress{.when = above{1'500}, .over = 100_chars, .with = cuts_to("...")},
                  sliding_window{.when = above{1'500} || used > 20_messages},
                  summarize{.when = above{1'500} && used > 20_messages, .with = says("They read.")});
}
