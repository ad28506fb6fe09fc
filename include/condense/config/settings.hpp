// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

// Settings that an operator may change without a rebuild: condense::settings::from_environment() reads
// CONDENSE_CONTEXT_LIMIT and the others, checks them together, and returns settings or one error.

namespace condense {
inline namespace v1 {

/// Why a text or a value is no setting.
enum class settings_fault : std::uint8_t {
    malformed,     ///< not written as a value of that kind
    out_of_range,  ///< below the minimum or above the maximum
    too_fine,      ///< a share that is not a whole number of basis points
    wrong_type,    ///< a JSON value of another type
    unknown,       ///< a JSON key that is not a setting
    duplicate,     ///< a JSON key that occurs twice
    unreadable,    ///< not a JSON object
    conflict       ///< values that are valid alone but not together
};

/// Why there are no settings. All texts are one line of valid UTF-8 without control characters.
struct settings_error {
    settings_fault fault = settings_fault::malformed;
    std::string name = {};   ///< the variable or JSON key as the user wrote it
    std::string value = {};  ///< the value given, at most 64 characters of it
    std::string rule = {};   ///< "must be a whole number of messages from 1 to 1,000,000,000"

    /// "condense: settings: CONDENSE_THRESHOLD must be a share above 0 and at most 100 %, not "2" (see settings)"
    std::string text() const {
        auto const shown_value = value.empty() ? std::string{} : ", not \"" + value + "\"";
        return "condense: settings: " + name + " " + rule + shown_value + " (see settings)";
    }
    friend bool operator==(settings_error const&, settings_error const&) = default;
};

class settings_result;

/// The limits of a pipeline, with defaults for a window of 200,000 tokens. A value of this type need not be valid; what
/// the readers return is, and problem() checks one that a program has filled in. The table settings_fields has the
/// ranges.
struct settings {
    tokens context_limit = {200'000};
    std::optional<tokens> output_reserve = {};  ///< unset: 10 % of the context limit
    tokens system_overhead = {8'000};  ///< a system prompt outside the messages
    tokens tools_overhead = {3'000};  ///< schemas of tools outside the messages
    percent threshold = {6'500};  ///< usage at which a reduction is due
    bool cache_hint = false;  ///< prompt caching is in use, so changing the prompt costs
    percent cache_relax = {1'000};  ///< added to the threshold if it is
    chars truncate_to = {8'000};  ///< size of a shortened result
    chars result_cap = {30'000};  ///< size of a result that could not be stored
    chars artifact_threshold = {10'000};  ///< larger results are stored
    messages window_messages = {100};  ///< of more the oldest are dropped
    messages preserve_first = {1};  ///< messages at the beginning that stay unchanged
    std::optional<messages> preserve_last = {};  ///< unset: 15 % of the window, at least 8

    /// No reduction waits for a higher usage: the rest is headroom for errors of the estimate.
    static constexpr percent ceiling = {9'800};

    /// The output reserve, set or by default.
    constexpr tokens reserve() const noexcept { return output_reserve.value_or(percent{1'000}.of(context_limit)); }
    /// The budget of a session with these settings.
    constexpr v1::budget budget() const noexcept {
        return {.window = context_limit, .output = reserve(), .overhead = system_overhead + tools_overhead};
    }
    /// The usage at which a reduction is due: `threshold`, plus `cache_relax` if a cache is in use, at most the
    /// ceiling.
    constexpr percent due_at() const noexcept {
        auto const due = std::uint64_t{threshold.basis_points} + (cache_hint ? cache_relax.basis_points : 0);
        return due < ceiling.basis_points ? percent{static_cast<std::uint32_t>(due)} : ceiling;
    }
    /// The most that the first and last messages may be together: half of the window.
    constexpr messages preserved_at_most() const noexcept { return percent{5'000}.of(window_messages); }
    /// How many of the last messages stay unchanged; unless set, 15 % of the window, at least 8, within that half.
    constexpr messages last_preserved() const noexcept {
        if (preserve_last) return *preserve_last;
        auto const usual = percent{1'500}.of(window_messages);
        auto const wanted = usual < messages{8} ? messages{8} : usual;
        auto const remaining = preserved_at_most() - preserve_first;
        return wanted < remaining ? wanted : remaining;
    }
    /// How much of either end of a stored result stays: at most 2,000 characters, and both ends together at most half
    /// of the artifact threshold, so that the preview is smaller than the result.
    constexpr chars preview_end() const noexcept {
        chars const quarter{artifact_threshold.count / 4};
        return quarter < chars{2'000} ? quarter : chars{2'000};
    }

    /// The first rule that settings filled in by a program break, named by its member.
    std::optional<settings_error> problem() const;

    /// Settings from variables that are set and not empty, defaults for the others; or an error for the first bad
    /// variable in the order of settings_fields. `look`: a callable from a variable's name to an optional text. If it
    /// has `names()`, as the lookup in the process environment has, unknown variables with the prefix cause warnings.
    template <class Lookup = detail::process_environment>
    static settings_result from_environment(std::string_view prefix = "CONDENSE_", Lookup look = {});

    friend constexpr bool operator==(settings const&, settings const&) = default;
};

/// Settings, or an error. Accessing the one that is absent throws invalid_configuration.
class settings_result {
public:
    settings_result(settings value) noexcept : value_{value} {}
    settings_result(settings_error error) noexcept : value_{std::move(error)} {}

    explicit operator bool() const noexcept { return std::holds_alternative<settings>(value_); }
    /// The settings; throws invalid_configuration if there is an error.
    settings const& value() const { return get<settings>(); }
    settings const& operator*() const { return value(); }
    settings const* operator->() const { return &value(); }
    /// The error; throws invalid_configuration if there is none.
    settings_error const& error() const { return get<settings_error>(); }
    /// One sentence for each variable with the prefix that is not a setting, such as a misspelt one; safe to print.
    std::vector<std::string> const& warnings() const noexcept { return warnings_; }
    /// Adds a warning, for readers of other sources.
    void warn(std::string sentence) { warnings_.push_back(std::move(sentence)); }
    friend bool operator==(settings_result const&, settings_result const&) = default;

private:
    template <class Value>
    Value const& get() const {
        auto const* const pointer = std::get_if<Value>(&value_);
        detail::reject_unless(
            pointer != nullptr,
            "condense: settings: a result must be tested before its value or error is read (see settings)");
        return *pointer;
    }

    std::variant<settings, settings_error> value_;
    std::vector<std::string> warnings_;
};

/// How a setting is written: a whole number, a share such as 65% or 0.65, or on or off.
enum class settings_kind : std::uint8_t { count, share, on_or_off };

namespace detail {

/// The variable of a setting: the prefix, and the key in capitals.
inline std::string variable_name(std::string_view prefix, std::string_view key) {
    std::string name{prefix};
    for (char const byte : key) name += byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
    return name;
}

}  // namespace detail

/// How a setting is read from text, and the member that holds its number.
struct settings_field {
    std::string_view key;  ///< in JSON; the variable is the prefix and the key in capitals
    settings_kind kind;
    std::string_view unit;  ///< of a count
    std::uint64_t least;  ///< in the unit, or in basis points
    std::uint64_t most;
    std::string_view meaning;  ///< as in the README
    std::string_view unset;  ///< the default in words, for a setting that is optional
    std::optional<std::uint64_t> (*get)(settings const&);
    void (*set)(settings&, std::uint64_t);

    std::string variable(std::string_view prefix = "CONDENSE_") const { return detail::variable_name(prefix, key); }
    /// "30,000 characters", "65 %", "off".
    std::string spelt(std::uint64_t value) const {
        if (kind == settings_kind::on_or_off) return value != 0 ? "on" : "off";
        if (kind == settings_kind::count)
            return detail::grouped(value).append(" ").append(unit.substr(0, unit.size() - (value == 1 ? 1 : 0)));
        auto text = detail::grouped(value / 100);
        if (value % 100 != 0) text += "." + std::to_string(value % 100 + 100).substr(1);
        return text + " %";
    }
    /// The default as it is spelt, or in words.
    std::string fallback() const {
        auto const value = get(settings{});
        return value ? spelt(*value) : std::string{unset};
    }
    /// The rule for its values, for errors: "must be a whole number of messages from 1 to 1,000,000,000".
    std::string rule() const {
        if (kind == settings_kind::on_or_off) return "must be on or off";
        if (kind == settings_kind::share)
            return (least == 0 ? "must be a share of at most " : "must be a share above 0 and at most ") + spelt(most);
        return "must be a whole number of " + std::string{unit} + " from " + detail::grouped(least) + " to " +
               detail::grouped(most);
    }
};

namespace detail {

/// The field of a member; its kind follows from the member's type, which may be optional.
template <auto Member>
constexpr settings_field setting(std::string_view key, std::string_view unit, std::uint64_t least, std::uint64_t most,
                                 std::string_view meaning, std::string_view unset = {}) noexcept {
    using value_type = typename decltype(std::optional{settings{}.*Member})::value_type;
    constexpr auto kind = std::same_as<value_type, percent> ? settings_kind::share
                          : std::same_as<value_type, bool>  ? settings_kind::on_or_off
                                                            : settings_kind::count;
    return {key,
            kind,
            unit,
            least,
            most,
            meaning,
            unset,
            [](settings const& source) -> std::optional<std::uint64_t> {
                std::optional const value{source.*Member};
                if (!value) return std::nullopt;
                if constexpr (kind == settings_kind::share) return value->basis_points;
                else if constexpr (kind == settings_kind::on_or_off) return *value ? 1u : 0u;
                else return value->count;
            },
            [](settings& target, std::uint64_t value) {
                if constexpr (kind == settings_kind::share)
                    target.*Member = value_type{static_cast<std::uint32_t>(value)};
                else if constexpr (kind == settings_kind::on_or_off) target.*Member = value != 0;
                else target.*Member = value_type{value};
            }};
}

// Above any model and any text, and small enough that no sum of settings saturates.
inline constexpr std::uint64_t most_tokens = 1'000'000'000'000;
inline constexpr std::uint64_t most_chars = 1'000'000'000'000;
inline constexpr std::uint64_t most_messages = 1'000'000'000;
/// The smallest `at_most` that head_tail accepts: a shorter text has no space for its marker.
inline constexpr std::uint64_t least_chars = 384;

}  // namespace detail

/// All settings: names, limits and meanings. Errors are reported, and the README lists them, in this order. To add a
/// setting, add a member, and a line here.
inline constexpr std::array settings_fields{
    detail::setting<&settings::context_limit>("context_limit", "tokens", 1, detail::most_tokens,
                                              "the model's context window"),
    detail::setting<&settings::output_reserve>("output_reserve", "tokens", 0, detail::most_tokens,
                                               "kept free for the answer", "10 % of the context limit"),
    detail::setting<&settings::system_overhead>("system_overhead", "tokens", 0, detail::most_tokens,
                                                "a system prompt kept outside the messages"),
    detail::setting<&settings::tools_overhead>("tools_overhead", "tokens", 0, detail::most_tokens,
                                               "tool schemas kept outside the messages"),
    detail::setting<&settings::threshold>("threshold", "", 1, percent::one_hundred,
                                          "usage at which a reduction is due; counts as 98 % at most"),
    detail::setting<&settings::cache_hint>("cache_hint", "", 0, 1, "prompt caching is in use"),
    detail::setting<&settings::cache_relax>("cache_relax", "", 0, percent::one_hundred,
                                            "added to the threshold while it is, up to 98 %"),
    detail::setting<&settings::truncate_to>("truncate_to", "characters", detail::least_chars, detail::most_chars,
                                            "what a shortened result may have"),
    detail::setting<&settings::result_cap>("result_cap", "characters", detail::least_chars, detail::most_chars,
                                           "what a result that could not be stored may have"),
    detail::setting<&settings::artifact_threshold>("artifact_threshold", "characters", detail::least_chars,
                                                   detail::most_chars, "results with more are stored"),
    detail::setting<&settings::window_messages>("window_messages", "messages", 1, detail::most_messages,
                                                "with more the oldest messages go"),
    detail::setting<&settings::preserve_first>("preserve_first", "messages", 0, detail::most_messages,
                                               "left alone at the beginning"),
    detail::setting<&settings::preserve_last>("preserve_last", "messages", 0, detail::most_messages,
                                              "left alone at the end; with the first at most half of the window",
                                              "8 or 15 % of the window, whichever is more"),
};

namespace detail {

/// Characters of a value that an error quotes.
inline constexpr std::uint64_t value_limit = 64;

/// Reads a value of this kind.
inline figure read_figure(settings_kind kind, std::string_view text) noexcept {
    return kind == settings_kind::count   ? read_count(text)
           : kind == settings_kind::share ? read_share(text)
                                          : read_switch(text);
}

/// Sets the field to a number that was read, or returns an error that quotes `text` under `name`.
inline std::optional<settings_error> put_setting(settings& target, settings_field const& field, std::string_view name,
                                                 figure number, std::string_view text) {
    auto fault = settings_fault::out_of_range;
    if (number.fault == figure_fault::none && number.value >= field.least && number.value <= field.most) {
        field.set(target, number.value);
        return std::nullopt;
    }
    if (number.fault == figure_fault::malformed) fault = settings_fault::malformed;
    if (number.fault == figure_fault::too_fine) fault = settings_fault::too_fine;
    return settings_error{
        fault, printable(name, value_limit), printable(text, value_limit),
        fault == settings_fault::too_fine ? "must be a share in whole hundredths of a per cent" : field.rule()};
}

/// The first pair of values that cannot work together. `name_of(key)` is the user's name of a setting.
template <class Naming>
std::optional<settings_error> conflict_in(settings const& candidate, Naming const& name_of) {
    auto const name = [&](std::string_view key) { return printable(name_of(key), value_limit); };
    auto const refuse = [&](std::string_view key, std::uint64_t value, std::string rule) {
        return settings_error{settings_fault::conflict, name(key), grouped(value), std::move(rule)};
    };
    auto const describe = [&](std::string_view key, std::uint64_t value) {
        return name(key) + " (" + grouped(value) + ")";
    };
    // Rules that concern two settings or more; each names the one that the user should change first.
    auto const half = "must be at most half of " + describe("window_messages", candidate.window_messages.count);
    if (auto const reserved = candidate.reserve() + candidate.system_overhead + candidate.tools_overhead;
        candidate.context_limit <= reserved)
        return refuse(
            "context_limit", candidate.context_limit.count,
            "must be above the output reserve and the overheads, together " + grouped(reserved.count) + " tokens");
    if (candidate.truncate_to >= candidate.artifact_threshold)
        return refuse("truncate_to", candidate.truncate_to.count,
                      "must be below " + describe("artifact_threshold", candidate.artifact_threshold.count));
    if (candidate.artifact_threshold > candidate.result_cap)
        return refuse("artifact_threshold", candidate.artifact_threshold.count,
                      "must be at most " + describe("result_cap", candidate.result_cap.count));
    if (candidate.preserve_first > candidate.preserved_at_most())
        return refuse("preserve_first", candidate.preserve_first.count, half);
    if (candidate.preserve_first + candidate.last_preserved() > candidate.preserved_at_most())
        return refuse("preserve_last", candidate.last_preserved().count,
                      "with " + describe("preserve_first", candidate.preserve_first.count) + " " + half);
    return std::nullopt;
}

/// "condense: settings: CONDENSE_TRESHOLD is no setting; is CONDENSE_THRESHOLD meant? (see settings)"; "" for a
/// setting. Suggests the nearest one within three edits.
inline std::string unknown_variable(std::string_view name, std::string_view prefix) {
    std::size_t shortest = 4;  // four edits make another word
    std::string suggestion;
    for (auto const& field : settings_fields) {
        auto const variable = field.variable(prefix);
        if (variable == name) return {};
        if (name.size() > variable.size() + 3) continue;  // bounds the cost of the comparison
        auto const distance = edit_distance(name, variable);
        if (distance >= shortest) continue;
        shortest = distance;
        suggestion = "; is " + printable(variable, value_limit) + " meant?";
    }
    return "condense: settings: " + printable(name, value_limit) + " is no setting" + suggestion + " (see settings)";
}

}  // namespace detail

// Sets each field to its own value: the same check as for values that were read.
inline std::optional<settings_error> settings::problem() const {
    auto checked = *this;
    for (auto const& field : settings_fields)
        if (auto const value = field.get(*this))
            if (auto error = detail::put_setting(checked, field, field.key, {*value}, field.spelt(*value)))
                return error;
    return detail::conflict_in(*this, [](std::string_view key) { return key; });
}

template <class Lookup>
settings_result settings::from_environment(std::string_view prefix, Lookup look) {
    static_assert(detail::environment<Lookup>,
                  "condense: settings: look must give a std::optional<std::string> for a std::string (see settings)");
    settings values;
    for (auto const& field : settings_fields) {
        auto const name = field.variable(prefix);
        std::optional<std::string> const text{look(name)};
        if (!text || text->empty()) continue;
        if (auto error = detail::put_setting(values, field, name, detail::read_figure(field.kind, *text), *text))
            return *std::move(error);
    }
    auto const variable = [prefix](std::string_view key) { return detail::variable_name(prefix, key); };
    if (auto error = detail::conflict_in(values, variable)) return *std::move(error);
    settings_result result{values};
    if constexpr (requires { look.names(); })
        for (std::string const& name : look.names())
            if (!prefix.empty() && name.starts_with(prefix))
                if (auto sentence = detail::unknown_variable(name, prefix); !sentence.empty())
                    result.warn(std::move(sentence));
    return result;
}

}  // namespace v1
}  // namespace condense
