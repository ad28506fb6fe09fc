// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <condense/adapt/json_parse.hpp>
#include <condense/core/quantity.hpp>
#include <condense/detail/text.hpp>
#include <condense/estimate/models.hpp>

// A catalogue of models in the format of models.dev (api.json), read once. Its facts take precedence over the built-in
// ones. `auto const read = read_model_catalog(text); if (read) read.catalog.find("openai/gpt-5");`

namespace condense {
inline namespace v1 {

/// Why a catalogue could not be read.
enum class catalog_fault : std::uint8_t {
    none,
    file,           ///< not there, no regular file, or not readable or writable
    download,       ///< no answer from its address, or one that is an error
    too_large,      ///< more bytes than allowed
    malformed,      ///< no JSON, or nested too deep
    not_a_catalog,  ///< JSON without a single model of a usable shape
};

/// An error of reading a catalogue. The reason is safe to print: it has no control characters.
struct catalog_error {
    catalog_fault fault = catalog_fault::none;
    std::string reason = {};

    explicit operator bool() const noexcept { return fault != catalog_fault::none; }
};

namespace detail {
struct catalog_reader;
}

/// The models of a file. Immutable, so threads may share it. Names in its results refer to it: it must outlive them.
class model_catalog {
public:
    /// The facts of the model, from the catalogue or else from the built-in table. A name with its provider in front
    /// ("openrouter/anthropic/claude-opus-4.5") gets the provider's figures, one without the maker's. Names are
    /// compared as by find_model, with the same defaults for an unknown one. Costs a
    /// binary search for each spelling that is tried.
    found_model find(std::string_view name) const {
        // With its provider the name is in the catalogue; without, it is searched among the makers' own models.
        if (auto const* const exact = find_key(keys_, name)) return facts(*exact, model_match::exact);
        auto const bare = detail::bare(name);
        if (bare.listed) {
            entry const* latest = nullptr;
            auto bare_match = detail::find_bare(bare.name, [&](std::string_view candidate) {
                latest = find_key(bare_keys_, candidate);
                return latest == nullptr ? nullptr : &latest->facts;
            });
            if (latest != nullptr) return facts(*latest, bare_match.match);
        }
        return find_model(name);
    }

    /// Models of the file, counted once for each provider.
    std::size_t size() const noexcept { return entries_.size(); }
    /// Models left out, or without a price, because a figure was missing or impossible.
    std::size_t skipped() const noexcept { return skipped_; }

private:
    /// A model of one provider.
    struct entry {
        std::string name;  ///< "provider/model"
        std::size_t provider = 0;  ///< bytes of it, with the slash
        model facts;
    };
    /// A name in the form of key_of, and the index of its entry. Equal names are in the order of the file.
    struct key {
        std::string text;
        std::size_t entry = 0;
        friend bool operator<(key const& left, key const& right) noexcept {
            auto const order = left.text.compare(right.text);
            return order != 0 ? order < 0 : left.entry < right.entry;
        }
    };

    /// The makers whose own entries hold for a name without a provider.
    static constexpr std::string_view makers =
        "ai21 alibaba anthropic cohere deepseek google llama meta minimax mistral moonshotai nvidia openai xai zai";
    /// Above any model, and small enough that no sum of budgets saturates. A price of a billion for a million tokens is
    /// taken for an error.
    static constexpr std::uint64_t most_tokens = 1'000'000'000'000;
    static constexpr double most_price = 1e9;

    /// Equal for names that detail::same_name considers equal: in lower case, with a dash for a point between digits.
    static std::string key_of(std::string_view name) {
        std::string text{name};
        for (std::size_t index = 0; index < text.size(); ++index) {
            bool const between_digits = index != 0 && index + 1 < text.size() && detail::is_digit(text[index - 1]) &&
                                        detail::is_digit(text[index + 1]);
            text[index] = text[index] == '.' && between_digits ? '-' : detail::lowered(text[index]);
        }
        return text;
    }
    /// A binary search; null if there is no such name.
    entry const* find_key(std::vector<key> const& keys, std::string_view name) const {
        if (name.empty()) return nullptr;
        key const wanted{key_of(name)};
        auto const it = std::lower_bound(keys.begin(), keys.end(), wanted);
        return it == keys.end() || it->text != wanted.text ? nullptr : &entries_[it->entry];
    }
    /// The facts under the name without its provider, which the entry owns.
    static found_model facts(entry const& source, model_match match) {
        found_model result{source.facts, match};
        result.facts.name = std::string_view{source.name}.substr(source.provider);
        return result;
    }

    /// A member with a number of tokens above 0; nothing if it is missing or impossible.
    template <class Json>
    static std::optional<tokens> count(Json const& object, char const* name) {
        auto const member = object.find(name);
        if (member == object.end() || !member->is_number()) return std::nullopt;
        if (member->is_number_unsigned()) {
            auto const value = member->template get<std::uint64_t>();
            return value == 0 || value > most_tokens ? std::nullopt : std::optional{tokens{value}};
        }
        auto const value = member->template get<double>();
        if (!(value >= 1.0 && value <= static_cast<double>(most_tokens))) return std::nullopt;
        return tokens{static_cast<std::uint64_t>(value)};
    }
    /// A member with a price in dollars for a million tokens, rounded to millionths; nothing if it is missing or
    /// impossible.
    template <class Json>
    static std::optional<v1::price> price(Json const& object, char const* name) {
        auto const member = object.find(name);
        if (member == object.end() || !member->is_number()) return std::nullopt;
        auto const value = member->template get<double>();
        if (!(value >= 0.0 && value <= most_price)) return std::nullopt;
        auto const scaled = value * 1e6;
        auto const integer = static_cast<std::uint64_t>(scaled);
        return v1::price{integer + (scaled - static_cast<double>(integer) >= 0.5 ? 1u : 0u)};
    }

    /// Writes the model's own figures over the known facts. False if the model is left out.
    template <class Json>
    bool read_figures(Json const& source, model& target) {
        auto const limit = source.find("limit");
        bool has_window = limit != source.end() && limit->is_object();
        if (has_window) {
            auto const window = count(*limit, "context");
            has_window = window.has_value();
            if (window) {
                target.window = *window;
                target.output = count(*limit, "output").value_or(tokens{});
                if (target.output > target.window) target.output = target.window;
                target.input = count(*limit, "input").value_or(tokens{});
                if (target.input >= target.window) target.input = {};
            }
        }
        // A listed price replaces the built-in one. Without input or output it is unusable, and the model has none.
        if (auto const cost = source.find("cost"); cost != source.end()) {
            bool const is_listed = cost->is_object();
            auto const input = is_listed ? price(*cost, "input") : std::nullopt;
            auto const output = is_listed ? price(*cost, "output") : std::nullopt;
            target.price.reset();
            if (input && output)
                target.price = prices{.input = *input,
                                      .cached = price(*cost, "cache_read").value_or(*input),
                                      .written = price(*cost, "cache_write").value_or(*input),
                                      .output = *output};
            if (!target.price) ++skipped_;
        }
        if (auto const reasons = source.find("reasoning"); reasons != source.end() && reasons->is_boolean())
            target.reasoning = reasons->template get<bool>() ? reasoning_use::takes_back : reasoning_use::none;
        if (!has_window && !target.name.empty()) ++skipped_;  // its built-in window stays
        return has_window || !target.name.empty();
    }

    /// Adds one model of a provider, with built-in facts where the source has none.
    template <class Json>
    void add(std::string_view provider, std::string_view id, Json const& source) {
        auto const built_in = find_model(id);
        entry result{std::string{provider}.append("/").append(id), provider.size() + 1, built_in.facts};
        if (!source.is_object() || id.empty() || !read_figures(source, result.facts)) {
            ++skipped_;
            return;
        }
        result.facts.name = {};
        keys_.push_back({key_of(result.name), entries_.size()});
        if (detail::is_one_of(provider, makers)) bare_keys_.push_back({key_of(id), entries_.size()});
        entries_.push_back(std::move(result));
    }

    std::vector<entry> entries_;
    std::vector<key> keys_;
    std::vector<key> bare_keys_;
    std::size_t skipped_ = 0;

    friend struct detail::catalog_reader;
};

/// A catalogue, or an error.
struct [[nodiscard]] catalog_read {
    model_catalog catalog = {};
    catalog_error error = {};

    explicit operator bool() const noexcept { return !error; }
};

namespace detail {

/// Fills a catalogue, which programs cannot.
struct catalog_reader {
    static catalog_read failed(catalog_fault fault, std::string_view subject, std::string_view rule,
                               std::string_view cause = {}) {
        std::string reason = "condense: model_catalog: ";
        reason.append(subject).append(" must ").append(rule);
        if (!cause.empty()) reason.append(": ").append(printable(cause, 200));
        return {{}, {fault, reason.append(" (see model_catalog)")}};
    }

    /// Builds the catalogue, then sorts its names once.
    static catalog_read read(std::string_view text, bytes size_limit) {
        if (text.size() > size_limit.count)
            return failed(catalog_fault::too_large, "the text", "be no larger than the limit");
        auto const parsed = parse_json<nlohmann::json>(text);
        if (!parsed) return failed(catalog_fault::malformed, "the text", "be JSON", parsed.error);
        if (!parsed.value.is_object())
            return failed(catalog_fault::not_a_catalog, "the document", "be an object of providers");
        catalog_read result;
        for (auto const& provider : parsed.value.items()) {
            if (!provider.value().is_object()) continue;
            auto const models = provider.value().find("models");
            if (models == provider.value().end() || !models->is_object()) continue;
            for (auto const& member : models->items()) result.catalog.add(provider.key(), member.key(), member.value());
        }
        if (result.catalog.entries_.empty())
            return failed(catalog_fault::not_a_catalog, "the document", "have a model with a window in limit.context");
        // Of names that differ in spelling only, the first in the file is found.
        std::sort(result.catalog.keys_.begin(), result.catalog.keys_.end());
        std::sort(result.catalog.bare_keys_.begin(), result.catalog.bare_keys_.end());
        return result;
    }
};

}  // namespace detail

/// Reads the text of an api.json of models.dev: an object of providers, each with an object `models`, of these `limit`
/// (context, input, output), `cost` (dollars for a million tokens: input, output, cache_read, cache_write) and
/// `reasoning`. Other members are ignored; a model without a usable window keeps its built-in facts, or is left out.
inline catalog_read read_model_catalog(std::string_view text, bytes size_limit = {std::uint64_t{1} << 26}) {
    return detail::catalog_reader::read(text, size_limit);
}

/// The same for a file, which must be a regular one. Reads no more of it than the limit and one block.
inline catalog_read read_model_catalog_file(std::filesystem::path const& path,
                                            bytes size_limit = {std::uint64_t{1} << 26}) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem))
        return detail::catalog_reader::failed(catalog_fault::file, "the file", "be a regular one");
    std::ifstream file{path, std::ios::binary};
    std::string text;
    char block[65'536];
    while (file && text.size() <= size_limit.count) {
        file.read(block, sizeof block);
        text.append(block, static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof() && text.size() <= size_limit.count)
        return detail::catalog_reader::failed(catalog_fault::file, "the file", "be readable");
    return read_model_catalog(text, size_limit);
}

}  // namespace v1
}  // namespace condense
