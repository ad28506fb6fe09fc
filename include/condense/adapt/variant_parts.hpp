// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <condense/core/message.hpp>

// A base for the traits of messages whose parts are a sequence of std::variant:
// `struct condense::message_traits<my::note> : condense::variant_parts<condense::message_traits<my::note>> { ... };`

namespace condense {
inline namespace v1 {

/// Gives each_part, with_part, without_part and with_edits to traits that derive from it and have, all static:
///
/// - `role_of(m)`, as all traits;
/// - `parts_of(auto& m) -> auto&`, the sequence of variants, const where `m` is;
/// - `show(alternative const&)` for each alternative: a part_view, or a value that converts to one and holds its text;
/// - `write(alternative&, std::string)` for those that take a text. It changes the alternative, or returns the one that
///   takes its place, as of an image, which becomes a text. What has no `write` is not edited.
///
/// Each variant is one part, in their order. Marks, names, `make` and the rest are added as in other traits.
template <class Traits>
struct variant_parts {
    template <class Message, class Sink>
    static constexpr void each_part(Message const& m, Sink&& sink) {
        if constexpr (check_traits<Message>())
            for (auto const& part : Traits::parts_of(m))
                std::visit([&sink](auto const& shown) { pass_on(sink, Traits::show(shown)); }, part);
    }

    template <class Message>
        requires(!std::is_const_v<Message>)
    static constexpr void with_part(Message& m, std::size_t index, std::string text) {
        auto& parts = Traits::parts_of(m);
        if (index < parts.size()) write_part(parts[index], std::move(text));
    }

    template <class Message>
        requires(!std::is_const_v<Message>)
    static constexpr void without_part(Message& m, std::size_t index) {
        auto& parts = Traits::parts_of(m);
        if (index < parts.size()) parts.erase(std::next(parts.begin(), static_cast<std::ptrdiff_t>(index)));
    }

    /// One walk, however many parts go.
    template <class Message>
        requires(!std::is_const_v<Message>)
    static constexpr void with_edits(Message& m, std::vector<part_edit> const& edits) {
        auto& parts = Traits::parts_of(m);
        auto edit = edits.begin();
        std::size_t to = 0;
        for (std::size_t from = 0; from < parts.size(); ++from) {
            while (edit != edits.end() && edit->index < from) ++edit;
            bool const edited = edit != edits.end() && edit->index == from;
            if (edited && edit->removed) continue;
            if (edited) write_part(parts[from], std::string{edit->text});
            if (to != from) parts[to] = std::move(parts[from]);
            ++to;
        }
        parts.erase(std::next(parts.begin(), static_cast<std::ptrdiff_t>(to)), parts.end());
    }

private:
    template <class Alternative>
    static constexpr bool shows = requires(Alternative const& part) { Traits::show(part); };
    /// True if each alternative of a variant is shown.
    template <class... Alternatives>
    static constexpr bool shows_all(std::variant<Alternatives...> const*) {
        return (shows<Alternatives> && ...);
    }
    /// Asserts what the traits must have, so that the compiler says what is missing. False where it has said so.
    template <class Message>
    static constexpr bool check_traits() {
        constexpr bool has_parts = requires(Message& m, Message const& shown) {
            Traits::parts_of(m).erase(Traits::parts_of(m).begin());
            Traits::parts_of(shown).begin();
        };
        static_assert(
            has_parts,
            "condense: variant_parts: the traits, which are its argument, must have a static parts_of(auto& m) "
            "-> auto& that returns the sequence of parts, const where `m` is (see variant_parts)");
        if constexpr (has_parts) {
            using part = std::remove_cvref_t<decltype(*Traits::parts_of(std::declval<Message const&>()).begin())>;
            constexpr bool are_variants = requires(part const* p) { variant_parts::shows_all(p); };
            static_assert(are_variants,
                          "condense: variant_parts: the parts must be std::variant, or derived from it (see "
                          "variant_parts)");
            if constexpr (are_variants) {
                constexpr bool are_shown = shows_all(static_cast<part const*>(nullptr));
                static_assert(are_shown,
                              "condense: variant_parts: the traits must have a static show(alternative const&) for "
                              "each alternative of the variant (see variant_parts)");
                return are_shown;
            }
        }
        return false;
    }

    /// Converts what `show` returned, which stays until the sink has read it.
    template <class Sink>
    static constexpr void pass_on(Sink& sink, part_view const& part) {
        sink(part);
    }

    template <class Part>
    static constexpr void write_part(Part& part, std::string text) {
        auto replacement = std::visit(
            [&text]<class Alternative>(Alternative& written) -> std::optional<Part> {
                if constexpr (requires {
                                  { Traits::write(written, std::move(text)) } -> std::same_as<void>;
                              })
                    Traits::write(written, std::move(text));
                else if constexpr (requires { Traits::write(written, std::move(text)); })
                    return Traits::write(written, std::move(text));
                return std::nullopt;
            },
            part);
        if (replacement) part = *std::move(replacement);
    }
};

}  // namespace v1
}  // namespace condense
