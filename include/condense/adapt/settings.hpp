// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <condense/core/quantity.hpp>
#include <condense/core/usage.hpp>
#include <condense/detail/edit_distance.hpp>
#include <condense/detail/environment.hpp>
#include <condense/detail/figure.hpp>
#include <condense/detail/reject.hpp>
#include <condense/detail/text.hpp>

// What an operator may set without building anew: condense::settings::from_environment() reads
// CONDENSE_CONTEXT_LIMIT and its kin, checks them together, and gives settings or a sentence.

namespace condense {
inline namespace v1 {

enum class settings_fault : std::uint8_t {
    malformed,     ///< not spelt as such a value is
    out_of_range,  ///< more or less than it may be
    too_fine,      ///< a share that is no whole number of basis points
    wrong_type,    ///< of JSON
    unknown,       ///< a JSON key that is no setting
    duplicate,     ///< a JSON key that stands there twice
    unreadable,    ///< no JSON object
    conflict       ///< values that are fine alone and cannot work together
};

/// Why there are no settings. All texts are valid UTF-8 on one line, without control characters.
struct settings_error {
    settings_fault fault = settings_fault::malformed;
    std::string name = {};   ///< as the user wrote it: the variable or the JSON key
    std::string value = {};  ///< what was given, at most 64 characters of it
    std::string rule = {};   ///< "must be a whole number of messages from 1 to 1,000,000,000"

    /// "condense: settings: CONDENSE_THRESHOLD must be a share above 0 and at most 100 %, not "2" (see settings)"
    std::string text() const {
        auto const given = value.empty() ? std::string{} : ", not \"" + value + "\"";
        return "condense: settings: " + name + " " + rule + given + " (see settings)";
    }
    friend bool operator==(settings_error const&, settings_error const&) = default;
};

class settings_result;

/// Defaults are of row C17, overheads of C9, the reserve of D3.
struct settings {
    tokens context_limit = {200'000};
    std::optional<tokens> output_reserve = {};  ///< unset: 10 % of the context limit
    tokens system_overhead = {8'000};
    tokens tools_overhead = {3'000};
    percent threshold = {6'500};
    bool cache_hint = false;       ///< prompt caching is in use, and changing the prompt costs
    percent cache_relax = {1'000};
    chars truncate_to = {8'000};
    chars result_cap = {30'000};
    chars artifact_threshold = {10'000};
    messages window_messages = {100};
    messages preserve_first = {1};
    std::optional<messages> preserve_last = {};  ///< unset: by C4, max(8, 15 % of the window)

    /// Above it a request is never said to fit (C7), so nothing may wait for more.
    static constexpr percent ceiling = {9'800};

    constexpr tokens reserve() const noexcept { return output_reserve.value_or(percent{1'000}.of(context_limit)); }
    constexpr v1::budget budget() const noexcept {
        return {.window = context_limit, .output = reserve(), .overhead = system_overhead + tools_overhead};
    }
    /// The usage at which a reduction is due: later by the relaxation while a cache is in use, never above the ceiling.
    constexpr percent due_at() const noexcept {
        auto const at = std::uint64_t{threshold.basis_points} + (cache_hint ? cache_relax.basis_points : 0);
        return at < ceiling.basis_points ? percent{static_cast<std::uint32_t>(at)} : ceiling;
    }
    /// What `preserve_first` and the last messages may be together (C4).
    constexpr messages preserved_at_most() const noexcept { return percent{5'000}.of(window_messages); }
    /// How many of the last messages are left alone; by the formula no more than is left of the half.
    constexpr messages last_preserved() const noexcept {
        if (preserve_last) return *preserve_last;
        auto const share = percent{1'500}.of(window_messages);
        auto const wanted = share < messages{8} ? messages{8} : share;
        auto const left = preserved_at_most() - preserve_first;
        return wanted < left ? wanted : left;
    }
    /// How much of either end of a stored result stays: 2,000 characters (C1), and both together at most
    /// half of the artifact threshold, so that what stays in place is the smaller.
    constexpr chars preview_end() const noexcept {
        chars const quarter{artifact_threshold.count / 4};
        return quarter < chars{2'000} ? quarter : chars{2'000};
    }

    /// What cannot work in settings that a program has filled in, by their names here.
    std::optional<settings_error> problem() const;

    /// The settings whose variables are set and not empty, defaults for the others; or the first variable,
    /// in the order of settings_fields, that cannot be. `look`: a callable from a variable's name to a text
    /// or nothing; where it has `names()`, as that of the process has, variables with the prefix that are no
    /// setting are named in the warnings.
    template <class Lookup = detail::process_environment>
    static settings_result from_environment(std::string_view prefix = "CONDENSE_", Lookup look = {});

    friend constexpr bool operator==(settings const&, settings const&) = default;
};

/// Settings, or why there are none.
class settings_result {
public:
    settings_result(settings good) noexcept : held_{good} {}
    settings_result(settings_error bad) noexcept : held_{std::move(bad)} {}

    explicit operator bool() const noexcept { return std::holds_alternative<settings>(held_); }
    settings const& value() const {
        detail::reject_unless(static_cast<bool>(*this),
                              "condense: settings: a value must be asked for only where there is one (see settings)");
        return *std::get_if<settings>(&held_);
    }
    settings const& operator*() const { return value(); }
    settings const* operator->() const { return &value(); }
    settings_error const& error() const {
        detail::reject_unless(!*this,
                              "condense: settings: an error must be asked for only where there is one (see settings)");
        return *std::get_if<settings_error>(&held_);
    }
    /// One sentence for each variable with the prefix that is no setting, as a misspelt one would be: for a log or a terminal.
    std::vector<std::string> const& warnings() const noexcept { return warnings_; }
    void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }
    friend bool operator==(settings_result const&, settings_result const&) = default;

private:
    std::variant<settings, settings_error> held_;
    std::vector<std::string> warnings_;
};

enum class settings_kind : std::uint8_t { count, share, on_or_off };

/// One setting as text, from the environment or JSON, sees it.
struct settings_field {
    std::string_view key;  ///< in JSON; the variable has it in capitals behind the prefix
    settings_kind kind;
    std::string_view unit;  ///< of a count
    std::uint64_t least;  ///< in the unit, or basis points
    std::uint64_t most;
    std::string_view meaning;  ///< as the README says it
    std::string_view unset;  ///< the default of one that is worked out unless it is set

    std::optional<std::uint64_t> (*get)(settings const&);
    void (*set)(settings&, std::uint64_t);

    std::string variable(std::string_view prefix = "CONDENSE_") const {
        std::string out{prefix};
        for (char const byte : key)
            out.push_back(byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - ('a' - 'A')) : byte);
        return out;
    }
    /// "30,000 characters", "65 %", "off".
    std::string spelt(std::uint64_t value) const {
        if (kind == settings_kind::on_or_off) return value != 0 ? "on" : "off";
        if (kind == settings_kind::count)
            return detail::grouped(value).append(" ").append(unit.substr(0, unit.size() - (value == 1 ? 1 : 0)));
        auto text = detail::grouped(value / 100);
        if (value % 100 != 0) text += "." + std::to_string(value % 100 + 100).substr(1);
        return text + " %";
    }
    std::string fallback() const {
        auto const value = get(settings{});
        return value ? spelt(*value) : std::string{unset};
    }
    std::string rule() const {
        if (kind == settings_kind::on_or_off) return "must be on or off";
        if (kind == settings_kind::share)
            return (least == 0 ? "must be a share of at most " : "must be a share above 0 and at most ") + spelt(most);
        return "must be a whole number of " + std::string{unit} + " from " + detail::grouped(least) + " to " +
               detail::grouped(most);
    }
};

namespace detail {

template <class Held>
struct setting_type {
    using type = Held;
};
template <class Held>
struct setting_type<std::optional<Held>> {
    using type = Held;
};

template <auto Member>
using setting_of = typename setting_type<std::remove_cvref_t<decltype(std::declval<settings>().*Member)>>::type;

template <auto Member>
constexpr settings_field setting(std::string_view key, std::uint64_t least, std::uint64_t most,
                                 std::string_view meaning, std::string_view unset = {}) noexcept {
    using Held = setting_of<Member>;
    constexpr auto kind = std::same_as<Held, percent> ? settings_kind::share
                          : std::same_as<Held, bool>  ? settings_kind::on_or_off
                                                      : settings_kind::count;
    return {key,
            kind,
            std::same_as<Held, tokens>  ? "tokens"
            : std::same_as<Held, chars> ? "characters"
                                        : "messages",
            least,
            most,
            meaning,
            unset,
            [](settings const& from) -> std::optional<std::uint64_t> {
                std::optional<Held> const held{from.*Member};
                if (!held) return std::nullopt;
                if constexpr (kind == settings_kind::share) return held->basis_points;
                else if constexpr (kind == settings_kind::on_or_off) return *held ? 1u : 0u;
                else return held->count;
            },
            [](settings& into, std::uint64_t value) {
                if constexpr (kind == settings_kind::share) into.*Member = Held{static_cast<std::uint32_t>(value)};
                else if constexpr (kind == settings_kind::on_or_off) into.*Member = value != 0;
                else into.*Member = Held{value};
            }};
}

// What no model and no text has, and small enough that no sum of settings saturates.
inline constexpr std::uint64_t most_tokens = 1'000'000'000'000;
inline constexpr std::uint64_t most_chars = 1'000'000'000'000;
inline constexpr std::uint64_t most_messages = 1'000'000'000;
/// The least that head_tail takes for `at_most`: a shorter text has no room for its marker.
inline constexpr std::uint64_t least_chars = 384;

}  // namespace detail

/// All settings: the one place of their names, defaults and rules.
inline constexpr std::array settings_fields{
    detail::setting<&settings::context_limit>("context_limit", 1, detail::most_tokens, "the model's context window"),
    detail::setting<&settings::output_reserve>("output_reserve", 0, detail::most_tokens, "kept free for the answer",
                                               "10 % of the context limit"),
    detail::setting<&settings::system_overhead>("system_overhead", 0, detail::most_tokens,
                                                "a system prompt kept outside the messages"),
    detail::setting<&settings::tools_overhead>("tools_overhead", 0, detail::most_tokens,
                                               "tool schemas kept outside the messages"),
    detail::setting<&settings::threshold>("threshold", 1, percent::whole,
                                          "usage at which a reduction is due; counts as 98 % at most"),
    detail::setting<&settings::cache_hint>("cache_hint", 0, 1, "prompt caching is in use"),
    detail::setting<&settings::cache_relax>("cache_relax", 0, percent::whole,
                                            "added to the threshold while it is, up to 98 %"),
    detail::setting<&settings::truncate_to>("truncate_to", detail::least_chars, detail::most_chars,
                                            "what a shortened result may have"),
    detail::setting<&settings::result_cap>("result_cap", detail::least_chars, detail::most_chars,
                                           "what a result that could not be stored may have"),
    detail::setting<&settings::artifact_threshold>("artifact_threshold", detail::least_chars, detail::most_chars,
                                                   "results with more are stored"),
    detail::setting<&settings::window_messages>("window_messages", 1, detail::most_messages,
                                                "with more the oldest messages go"),
    detail::setting<&settings::preserve_first>("preserve_first", 0, detail::most_messages,
                                               "left alone at the beginning"),
    detail::setting<&settings::preserve_last>("preserve_last", 0, detail::most_messages,
                                              "left alone at the end; with the first at most half of the window",
                                              "8 or 15 % of the window, whichever is more"),
};

namespace detail {

inline constexpr std::uint64_t shown_of_value = 64;

inline settings_error bad_setting(settings_field const& field, std::string_view name, figure_fault why,
                                  std::string_view given) {
    auto const fault = why == figure_fault::too_large  ? settings_fault::out_of_range
                       : why == figure_fault::too_fine ? settings_fault::too_fine
                                                       : settings_fault::malformed;
    return {fault, printable(name, shown_of_value), printable(given, shown_of_value),
            fault == settings_fault::too_fine ? "must be a share in whole hundredths of a per cent" : field.rule()};
}

/// Puts the figure in its place, or says why not.
inline std::optional<settings_error> put_setting(settings& into, settings_field const& field, std::string_view name,
                                                 figure read, std::string_view given) {
    if (read.fault == figure_fault::none && (read.value < field.least || read.value > field.most))
        read.fault = figure_fault::too_large;
    if (read.fault != figure_fault::none) return bad_setting(field, name, read.fault, given);
    field.set(into, read.value);
    return std::nullopt;
}

inline figure read_figure(settings_kind kind, std::string_view text) noexcept {
    return kind == settings_kind::count   ? read_count(text)
           : kind == settings_kind::share ? read_share(text)
                                          : read_switch(text);
}

/// What cannot work together. `spelt(key)` is what the user calls a setting.
template <class Spelling>
std::optional<settings_error> conflict_in(settings const& made, Spelling const& spelt) {
    auto const refuse = [&](std::string_view key, auto value, std::string rule) {
        return settings_error{settings_fault::conflict, printable(spelt(key), shown_of_value), grouped(value.count),
                              std::move(rule)};
    };
    auto const other = [&](std::string_view key, auto value) {
        return printable(spelt(key), shown_of_value) + " (" + grouped(value.count) + ")";
    };
    auto const taken = made.reserve() + made.system_overhead + made.tools_overhead;
    if (made.context_limit <= taken)
        return refuse(
            "context_limit", made.context_limit,
            "must be above the output reserve and the overheads, together " + grouped(taken.count) + " tokens");
    if (made.truncate_to >= made.artifact_threshold)
        return refuse("truncate_to", made.truncate_to,
                      "must be below " + other("artifact_threshold", made.artifact_threshold));
    if (made.artifact_threshold > made.result_cap)
        return refuse("artifact_threshold", made.artifact_threshold,
                      "must be at most " + other("result_cap", made.result_cap));
    auto const half = " must be at most half of " + other("window_messages", made.window_messages);
    if (made.preserve_first > made.preserved_at_most())
        return refuse("preserve_first", made.preserve_first, half.substr(1));
    if (made.preserve_first + made.last_preserved() > made.preserved_at_most())
        return refuse("preserve_last", made.last_preserved(),
                      "with " + other("preserve_first", made.preserve_first) + half);
    return std::nullopt;
}

/// "condense: settings: CONDENSE_TRESHOLD is no setting; is CONDENSE_THRESHOLD meant? (see settings)"; "" for one that is.
inline std::string unknown_variable(std::string_view name, std::string_view prefix) {
    constexpr std::size_t largest_distance = 3;
    auto best = largest_distance + 1;
    std::string meant;
    for (auto const& field : settings_fields) {
        auto const known = field.variable(prefix);
        if (known == name) return {};
        auto const length = name.size() < known.size() ? known.size() - name.size() : name.size() - known.size();
        auto const distance = length > largest_distance ? best : edit_distance(name, known);
        if (distance >= best) continue;
        best = distance;
        meant = "; is " + printable(known, shown_of_value) + " meant?";
    }
    return "condense: settings: " + printable(name, shown_of_value) + " is no setting" + meant + " (see settings)";
}

}  // namespace detail

inline std::optional<settings_error> settings::problem() const {
    auto checked = *this;
    for (auto const& field : settings_fields)
        if (auto const value = field.get(*this))
            if (auto bad = detail::put_setting(checked, field, field.key, {*value}, field.spelt(*value))) return bad;
    return detail::conflict_in(*this, [](std::string_view key) { return key; });
}

template <class Lookup>
settings_result settings::from_environment(std::string_view prefix, Lookup look) {
    static_assert(detail::environment<Lookup>,
                  "condense: settings: look must give a std::optional<std::string> for a std::string (see settings)");
    settings made;
    for (auto const& field : settings_fields) {
        auto const name = field.variable(prefix);
        std::optional<std::string> const given{look(name)};
        if (!given || given->empty()) continue;
        if (auto bad = detail::put_setting(made, field, name, detail::read_figure(field.kind, *given), *given))
            return *std::move(bad);
    }
    auto const spelt = [prefix](std::string_view key) {
        for (auto const& field : settings_fields)
            if (field.key == key) return field.variable(prefix);
        return std::string{key};
    };
    if (auto bad = detail::conflict_in(made, spelt)) return *std::move(bad);
    settings_result out{made};
    if constexpr (requires { look.names(); })
        for (std::string const& name : look.names())
            if (!prefix.empty() && name.starts_with(prefix))
                if (auto sentence = detail::unknown_variable(name, prefix); !sentence.empty()) out.warn(std::move(sentence));
    return out;
}

}  // namespace v1
}  // namespace condense
