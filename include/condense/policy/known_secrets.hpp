// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Takes keys, tokens and passwords of known forms out of what leaves the program:
// run_options{.redact = condense::known_secrets{}}.

namespace condense {
inline namespace v1 {
namespace detail {
namespace secrets {

// Classes of bytes, as sets of bits.
inline constexpr unsigned digit_class = 1u << 0;
inline constexpr unsigned lower_class = 1u << 1;
inline constexpr unsigned upper_class = 1u << 2;
inline constexpr unsigned underscore_class = 1u << 3;
inline constexpr unsigned dash_class = 1u << 4;
inline constexpr unsigned dot_class = 1u << 5;
inline constexpr unsigned base64_class = 1u << 6;  ///< + / =
inline constexpr unsigned blank_class = 1u << 7;  ///< space, tab
inline constexpr unsigned space_class = 1u << 8;  ///< the same and line breaks
inline constexpr unsigned quote_class = 1u << 9;  ///< " ' `
inline constexpr unsigned escape_class = 1u << 10;  ///< the backslash
inline constexpr unsigned url_class = 1u << 11;  ///< may stand in the user information of an address
inline constexpr unsigned bare_class = 1u << 12;  ///< may stand in a value without quotes
inline constexpr unsigned start_class = 1u << 13;  ///< a secret, or the name of one, may begin with it
inline constexpr unsigned alnum_class = digit_class | lower_class | upper_class;
inline constexpr unsigned word_class = alnum_class | underscore_class;
inline constexpr unsigned base64url_class = word_class | dash_class;

inline constexpr auto byte_classes = [] {
    std::array<std::uint16_t, 256> table = {};
    auto const add = [&](std::string_view bytes, unsigned which) {
        for (char const byte : bytes) {
            auto& entry = table[static_cast<unsigned char>(byte)];
            entry = static_cast<std::uint16_t>(entry | which);
        }
    };
    add("0123456789", digit_class);
    add("abcdefghijklmnopqrstuvwxyz", lower_class);
    add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", upper_class);
    add("_", underscore_class), add("-", dash_class), add(".", dot_class);
    add("-:sgAxrhnpepstaPSTA", start_class);  // see forms, json_web_token and names
    add("+/=", base64_class), add(" \t", blank_class), add(" \t\r\n", space_class);
    add("\"'`", quote_class), add("\\", escape_class);
    for (unsigned byte = 0x21; byte < 0x7F; ++byte) {
        char const value = static_cast<char>(byte);
        std::string_view const one{&value, 1};
        if (std::string_view{"\"'`\\/?#@:<>(){}[]|^"}.find(one) == std::string_view::npos) add(one, url_class);
        if (std::string_view{"\"'`\\,;&<>(){}[]|"}.find(one) == std::string_view::npos) add(one, bare_class);
    }
    return table;
}();

constexpr bool is_in(char byte, unsigned classes) noexcept {
    return (byte_classes[static_cast<unsigned char>(byte)] & classes) != 0;
}

/// A secret that begins with letters of its own.
struct form {
    std::string_view label;
    std::string_view prefix;
    unsigned classes;  ///< of what follows
    std::size_t least;  ///< bytes after the prefix
    std::size_t most = static_cast<std::size_t>(-1);
};

/// The forms as their providers document them. Where the classes hold a dash or an underscore there is no `most`, so
/// that all of the run is replaced: a part of it could be another secret, and the rest a third one in a second call.
inline constexpr std::array forms = {
    // docs.anthropic.com: sk-ant-api03-…, sk-ant-admin01-…
    form{"anthropic key", "sk-ant-", base64url_class, 20},
    // platform.openai.com: keys of projects, service accounts and administrators; older ones are sk- and letters
    form{"openai key", "sk-proj-", base64url_class, 20},
    form{"openai key", "sk-svcacct-", base64url_class, 20},
    form{"openai key", "sk-admin-", base64url_class, 20},
    form{"openai key", "sk-", alnum_class, 20, 256},
    // github.blog changelog 2021-03-31 and 2026-05-15: those of apps may be a JWT behind an id
    form{"github token", "ghp_", alnum_class, 36, 255},
    form{"github token", "gho_", alnum_class, 36, 255},
    form{"github token", "ghu_", base64url_class | dot_class, 36},
    form{"github token", "ghs_", base64url_class | dot_class, 36},
    form{"github token", "ghr_", alnum_class, 36, 255},
    form{"github token", "github_pat_", word_class, 36},
    // docs.gitlab.com, "Token overview"; routable tokens have dots
    form{"gitlab token", "glpat-", base64url_class | dot_class, 20},
    // docs.aws.amazon.com, "IAM identifiers": long-term and temporary ones
    form{"aws key id", "AKIA", upper_class | digit_class, 16, 16},
    form{"aws key id", "ASIA", upper_class | digit_class, 16, 16},
    // cloud.google.com, "API keys"
    form{"google key", "AIza", base64url_class, 35},
    // docs.slack.dev, "Tokens": of bots, users, workspaces and apps
    form{"slack token", "xoxb-", base64url_class, 16},
    form{"slack token", "xoxp-", base64url_class, 16},
    form{"slack token", "xoxa-", base64url_class, 16},
    form{"slack token", "xapp-", base64url_class, 16},
    // docs.stripe.com, "API keys": secret and restricted ones
    form{"stripe key", "sk_live_", alnum_class, 16, 256},
    form{"stripe key", "rk_live_", alnum_class, 16, 256},
    // huggingface.co/docs/hub, "User access tokens"
    form{"hugging face token", "hf_", alnum_class, 34, 34},
    // docs.npmjs.com, "About access tokens"
    form{"npm token", "npm_", alnum_class, 36, 36},
    // pypi.org/help: "pypi-" and a macaroon
    form{"pypi token", "pypi-", base64url_class, 50},
};

/// A name whose value is a secret, without `_` and `-`.
struct named_value {
    std::string_view label;
    std::string_view name;
};
inline constexpr std::array names = {
    named_value{"aws secret key", "secretaccesskey"},
    named_value{"password", "password"},
    named_value{"password", "passwd"},
    named_value{"secret", "secret"},
    named_value{"token", "token"},
    named_value{"api key", "apikey"},
    named_value{"access key", "accesskey"},
    named_value{"authorization", "authorization"},
};

/// Where a secret is, and what it is.
struct secret {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string_view label = {};
};

/// Looks for secrets in one text, in time linear in its size: what is read and is no secret is read again only up to a
/// fixed limit, or ends where no other secret can begin within it.
class finder {
public:
    explicit constexpr finder(std::string_view text) noexcept : text_{text} {}

    /// The next secret that begins at `from` or later, where the text begins or another secret has ended.
    constexpr std::optional<secret> next(std::size_t from) noexcept {
        first_ = from;
        for (auto position = from; position < text_.size(); ++position) {
            auto const byte = text_[position];
            if (!is_in(byte, start_class)) continue;
            std::optional<secret> result;
            if (byte == '-') result = key_block(position);
            else if (byte == ':') result = url_password(position);
            else if (begins_name(position)) result = at_name(position);
            if (result) return result;
        }
        return std::nullopt;
    }

private:
    static constexpr std::size_t none = std::string_view::npos;
    static constexpr std::size_t least_of_block = 16;  ///< of a private key, without its first and last line
    static constexpr std::size_t most_of_block = 16'384;
    static constexpr unsigned block_class = alnum_class | base64_class | space_class | escape_class;
    static constexpr std::size_t most_of_code = 256;  ///< a longer value is none

    constexpr bool has(std::size_t position, std::string_view word) const noexcept {
        return text_.substr(position, word.size()) == word;
    }
    constexpr bool in(std::size_t position, unsigned classes) const noexcept {
        return position < text_.size() && is_in(text_[position], classes);
    }
    /// The end of the run of these classes, at most `most` bytes long.
    constexpr std::size_t run_end(std::size_t position, unsigned classes, std::size_t most = none) const noexcept {
        auto const begin = position;
        while (in(position, classes) && position - begin < most) ++position;
        return position;
    }
    static constexpr char lower(char byte) noexcept {
        return is_in(byte, upper_class) ? static_cast<char>(byte + ('a' - 'A')) : byte;
    }

    // Where a word begins. In JSON the letter before it may belong to an escape, in an address to a percent sign, in
    // the output of a terminal to a colour.

    constexpr bool follows_escape(std::size_t position) const noexcept {
        auto const hex = [&](std::size_t begin, std::size_t count) {
            for (auto index = begin; index < begin + count; ++index)
                if (!is_in(text_[index], digit_class) && (lower(text_[index]) < 'a' || lower(text_[index]) > 'f'))
                    return false;
            return true;
        };
        auto const before = text_[position - 1];
        if (position >= 2 && text_[position - 2] == '\\' && std::string_view{"bfnrt"}.find(before) != none) return true;
        if (position >= 3 && text_[position - 3] == '%' && hex(position - 2, 2)) return true;
        if (position >= 6 && has(position - 6, "\\u") && hex(position - 4, 4)) return true;
        if (before != 'm') return false;
        auto begin = position - 1;
        while (begin != 0 && position - begin < 12 && (is_in(text_[begin - 1], digit_class) || text_[begin - 1] == ';'))
            --begin;
        return begin != 0 && text_[begin - 1] == '[';
    }
    /// The byte is the letter of an escape in JSON.
    constexpr bool is_escaped(std::size_t position) const noexcept {
        return position != first_ && text_[position - 1] == '\\' &&
               std::string_view{"bfnrtu"}.find(text_[position]) != none;
    }
    constexpr bool begins_word(std::size_t position) const noexcept {
        return position == first_ || !is_in(text_[position - 1], word_class) || follows_escape(position);
    }
    /// Names may be the last part of a longer one: DB_PASSWORD, accessToken.
    constexpr bool begins_name(std::size_t position) const noexcept {
        if (position == first_) return true;
        auto const before = text_[position - 1];
        return !is_in(before, word_class) || before == '_' ||
               (is_in(before, lower_class) && is_in(text_[position], upper_class)) || follows_escape(position);
    }

    /// A secret that begins here, or is the value of a name that begins here.
    constexpr std::optional<secret> at_name(std::size_t position) const noexcept {
        if (is_escaped(position)) return std::nullopt;
        if (auto const secret = of_a_form(position)) return secret;
        auto const first = lower(text_[position]);
        for (auto const& candidate : names)
            if (first == candidate.name.front())
                if (auto const end = name_end(position, candidate.name); end != none)
                    if (auto const secret = value_of(candidate, position, end)) return secret;
        return std::nullopt;
    }

    /// A secret with letters of its own, or a JWT.
    constexpr std::optional<secret> of_a_form(std::size_t position) const noexcept {
        if (!in(position, lower_class | upper_class) || !begins_word(position)) return std::nullopt;
        for (auto const& form : forms) {
            if (form.prefix.front() != text_[position] || !has(position, form.prefix)) continue;
            auto const begin = position + form.prefix.size();
            auto end = run_end(begin, form.classes, form.most == none ? none : form.most + 1);
            if (end - begin > form.most) continue;  // a longer word
            if (in(end, word_class)) continue;
            while (end > begin && text_[end - 1] == '.') --end;  // of the sentence
            if (end - begin >= form.least) return secret{position, end, form.label};
        }
        return json_web_token(position);
    }
    /// RFC 7519: three times base64url, the first of which begins with `{"`. It begins no run that is longer, so that
    /// each run is read once.
    constexpr std::optional<secret> json_web_token(std::size_t position) const noexcept {
        if (!has(position, "eyJ") || (position != first_ && text_[position - 1] == '-')) return std::nullopt;
        auto end = position;
        for (auto const least : {std::size_t{10}, std::size_t{4}, std::size_t{10}}) {
            if (end != position && !in(end++, dot_class)) return std::nullopt;
            auto const begin = end;
            end = run_end(begin, base64url_class);
            if (end - begin < least) return std::nullopt;
        }
        return secret{position, end, "jwt"};
    }

    /// The end of the name in any case, with `_` or `-` between its letters; none where it is another word.
    constexpr std::size_t name_end(std::size_t position, std::string_view name) const noexcept {
        for (std::size_t index = 0; index < name.size(); ++index, ++position) {
            if (index != 0 && in(position, underscore_class | dash_class)) ++position;
            if (position >= text_.size() || lower(text_[position]) != name[index]) return none;
        }
        return in(position, word_class) ? none : position;
    }

    /// The value that is assigned to the name.
    constexpr std::optional<secret> value_of(named_value const& which, std::size_t name_begin,
                                             std::size_t name_end) const noexcept {
        auto position = run_end(name_end, quote_class | escape_class);
        bool const quoted_name = text_.substr(name_end, position - name_end).find('"') != none;
        if (position != name_end && position < text_.size() && text_[position] == ']')
            ++position;  // config["password"] = …
        position = run_end(position, blank_class);
        auto const sign = position;
        while (position < text_.size() && position - sign < 2 &&
               (text_[position] == '=' || text_[position] == ':' || (position != sign && text_[position] == '>')))
            ++position;
        if (position == sign || has(sign, "::") || url_password(sign)) return std::nullopt;
        position = run_end(position, blank_class);
        auto begin = run_end(position, quote_class | escape_class);
        while (begin > position && text_[begin - 1] == '\\') --begin;  // of the value
        auto const quote = begin == position ? none : text_.substr(position, begin - position).find_first_not_of('\\');
        if (which.name == "authorization") return credentials(begin);
        // Not what stands for a value: of a template, a format or a mask; nor JSON after the end of a string.
        if (begin == text_.size() || std::string_view{"$<{%*,:]}"}.find(text_[begin]) != none || of_a_form(begin))
            return std::nullopt;
        std::size_t end = begin;
        if (quote != none) {
            auto const mark = text_[position + quote];
            while (end < text_.size() && static_cast<unsigned char>(text_[end]) > 0x20 && text_[end] != '"' &&
                   text_[end] != mark)
                ++end;
            if (end < text_.size() && !is_in(text_[end], quote_class)) return std::nullopt;  // several words
            while (end > begin && text_[end - 1] == '\\') --end;  // of the quote
        } else {
            if (quoted_name) return std::nullopt;  // in JSON no text
            bool const in_environment = is_in(text_[name_begin], upper_class) &&
                                        is_in(text_[name_end - 1], upper_class) && begin == name_end + 1;
            bool has_digit = in_environment || which.name == "secretaccesskey";
            for (; in(end, bare_class) && (has_digit || end - begin < most_of_code); ++end)
                has_digit = has_digit || is_in(text_[end], digit_class);
            if (!has_digit || (end - begin <= most_of_code && is_code(begin, end))) return std::nullopt;
        }
        if (end - begin < 8) return std::nullopt;
        return secret{begin, end, which.label};
    }

    /// A value without quotes is a call, a name with a scope, an address, or left out.
    constexpr bool is_code(std::size_t begin, std::size_t end) const noexcept {
        auto const value = text_.substr(begin, end - begin);
        return value.ends_with("...") || value.find("::") != none || value.find("://") != none || has(end, "(") ||
               has(end, "[");
    }

    /// RFC 6750 and RFC 7617: `Bearer` or `Basic`, and what follows it.
    constexpr std::optional<secret> credentials(std::size_t position) const noexcept {
        for (std::string_view const scheme : {"bearer", "basic"}) {
            auto begin = name_end(position, scheme);
            if (begin == none || !in(begin, blank_class)) continue;
            begin = run_end(begin, blank_class);
            if (of_a_form(begin)) return std::nullopt;
            auto const end = run_end(begin, base64url_class | dot_class | base64_class);
            bool only_words = true;
            for (auto index = begin; index < end; ++index)
                only_words = only_words && is_in(text_[index], lower_class | dash_class | dot_class);
            if (end - begin >= 8 && !only_words) return secret{begin, end, "authorization"};
        }
        return std::nullopt;
    }

    /// RFC 3986: scheme://user:password@host, at the colon before the password. The slashes may be escaped, as in JSON
    /// of PHP.
    constexpr std::optional<secret> url_password(std::size_t colon) const noexcept {
        if (text_[colon] != ':') return std::nullopt;
        auto user = colon;
        while (user != 0 && is_in(text_[user - 1], url_class)) --user;
        auto const before = text_.substr(0, user);
        auto const slashes = before.ends_with("://") ? 3u : before.ends_with(":\\/\\/") ? 5u : 0u;
        if (slashes == 0 || user == slashes || !is_in(text_[user - slashes - 1], alnum_class)) return std::nullopt;
        auto const begin = colon + 1;
        auto const end = run_end(begin, url_class);
        if (end == begin || end >= text_.size() || text_[end] != '@') return std::nullopt;
        if (text_[begin] == '$' || text_[begin] == '*' || (end - begin == 2 && text_[begin] == '%'))
            return std::nullopt;
        return secret{begin, end, "url password"};
    }

    /// RFC 7468: the end of a line such as `-----BEGIN RSA PRIVATE KEY-----`, `what` being BEGIN or END.
    constexpr std::size_t after_line(std::size_t position, std::string_view what) const noexcept {
        if (!has(position, "-----") || !has(position + 5, what)) return none;
        auto const begin = position + 5 + what.size();
        auto const end = run_end(begin, upper_class | digit_class | space_class, 40);
        auto const label = text_.substr(begin, end - begin);
        return has(end, "-----") && label.find("PRIVATE KEY") != none ? end + 5 : none;
    }
    /// A private key in PEM, or what is left of one whose end was cut: up to a byte that can be none of it, or a limit.
    /// Line breaks may be spelt as in JSON.
    constexpr std::optional<secret> key_block(std::size_t position) const noexcept {
        auto const begin = after_line(position, "BEGIN");
        if (begin == none) return key_without_begin(position);
        auto const last = text_.size() - begin < most_of_block ? text_.size() : begin + most_of_block;
        auto end = begin;
        while (end < last && !is_in(text_[end], quote_class) && text_[end] != '[' && !has(end, "-----")) ++end;
        if (auto const after = after_line(end, "END"); after != none && end - begin >= least_of_block)
            return secret{position, after, "private key"};
        end = run_end(begin, block_class, most_of_block);
        while (end > begin && is_in(text_[end - 1], space_class | escape_class)) --end;
        if (end - begin < least_of_block) return std::nullopt;
        return secret{position, end, "private key"};
    }
    /// The same for one whose beginning was cut, at its last line.
    constexpr std::optional<secret> key_without_begin(std::size_t position) const noexcept {
        auto const after = after_line(position, "END");
        if (after == none) return std::nullopt;
        auto begin = position;
        while (begin > first_ && position - begin < most_of_block && is_in(text_[begin - 1], block_class)) --begin;
        if (position - begin == most_of_block)  // not from the middle of an escape
            while (begin < position && text_.substr(begin < 6 ? 0 : begin - 6, 6).find('\\') != none) ++begin;
        if (position - begin < least_of_block) return std::nullopt;
        return secret{begin, after, "private key"};
    }

    std::string_view text_;
    std::size_t first_ = 0;
};

}  // namespace secrets
}  // namespace detail

/// Finds secrets by their documented forms and by names such as `password`, and replaces each by `[redacted: <kind>]`.
/// The kinds are listed in policy/README.md. Linear in the text, without regular expressions; a copy where there is
/// something to replace. Does not find a secret of another form, nor half of one.
struct known_secrets {
    constexpr std::size_t operator()(std::string& text) const {
        detail::secrets::finder finder{text};
        std::string out;
        std::size_t copied = 0;
        std::size_t count = 0;
        for (auto secret = finder.next(0); secret; secret = finder.next(copied), ++count) {
            out.append(text, copied, secret->begin - copied).append("[redacted: ").append(secret->label).append("]");
            copied = secret->end;
        }
        if (count != 0) text = std::move(out.append(text, copied));
        return count;
    }
    friend constexpr bool operator==(known_secrets, known_secrets) = default;
};

}  // namespace v1
}  // namespace condense
