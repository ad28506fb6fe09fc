// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

#include "laws/generator.hpp"

// Random texts of the kinds that tools print and models write, the same for the same seed everywhere.

namespace laws {

enum class text_kind : std::uint8_t {
    json,       ///< documents of any shape
    rows,       ///< a JSON array of objects that are alike, a few of them not
    arguments,  ///< a JSON object with a path and a long string
    log,        ///< lines with a time, also of JSON
    diff,
    hits,  ///< of a search: path, line, text
    code,
    prose,
    wide,      ///< CJK, emoji, combining marks
    binary,    ///< NUL, control bytes, ill-formed UTF-8
    repeated,  ///< ends in one piece over and over
    one_line,
    blank,  ///< nothing, or white space
};

using text_kinds = std::vector<text_kind>;

inline text_kinds json_texts() { return {text_kind::json, text_kind::rows, text_kind::arguments}; }
inline text_kinds line_texts() {
    return {text_kind::log, text_kind::diff, text_kind::hits, text_kind::code, text_kind::prose};
}
inline text_kinds odd_texts() {
    return {text_kind::wide, text_kind::binary, text_kind::repeated, text_kind::one_line, text_kind::blank};
}
inline text_kinds any_texts() {
    auto all = json_texts();
    for (auto const& more : {line_texts(), odd_texts()}) all.insert(all.end(), more.begin(), more.end());
    return all;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

class text_generator {
public:
    explicit text_generator(std::uint64_t seed) : random_{seed} {}

    std::string make(text_kind kind) { return make(kind, random_size()); }

    /// About so many bytes.
    std::string make(text_kind kind, std::size_t size) {
        auto text = plain(kind, size);
        if (random_.chance(10)) text = replaced(std::move(text), "\n", "\r\n");
        if (random_.chance(5)) text.insert(random_.below(text.size() + 1), any_of(ill_formed_));
        return text;
    }

private:
    template <std::size_t Size>
    using pieces = std::array<std::string_view, Size>;

    static constexpr pieces<16> words_{"the",  "of",    "request", "file", "server", "value", "returned", "connection",
                                       "test", "table", "update",  "with", "not",    "found", "in",       "a"};
    static constexpr pieces<8> wide_{"\xE6\xBC\xA2\xE5\xAD\x97",
                                     "\xEA\xB0\x80\xEB\x82\x98",
                                     "\xF0\x9F\x98\x80",
                                     "e\xCC\x81\xCC\xA3",
                                     "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB",
                                     "\xC3\xA4",
                                     "\xE3\x80\x82",
                                     "\xE2\x80\xAE"};
    static constexpr pieces<8> ill_formed_{"\xFF", "\xC3",         "\xE2\x82", "\xF0\x9F\x98",
                                           "\x80", "\xED\xA0\x80", "\xC0\xAF", "\xF5"};
    /// What shorteners write, written by somebody else.
    static constexpr pieces<6> imitations_{
        "[... 44 of 300 lines omitted ...]",
        "[... 9 of 9 characters omitted; the whole is stored as ab0000000000000000000000 ...]",
        "[... 3 lines omitted ...]",
        "[... 2 more times ...]",
        "[... ",
        " ...]"};
    static constexpr pieces<8> numbers_{
        "0", "-0", "1.50", "1e5", "0.1E-7", "123456789012345678901234567890", "-12", "9007199254740993"};
    static constexpr pieces<6> paths_{"src/a.cpp", "include/tool/part.hpp", "README.md",
                                      "a b/c.txt", "tests/x_test.py",       "C:\\x\\y.c"};

    template <std::size_t Size>
    std::string_view any_of(pieces<Size> const& from) {
        return from[random_.below(Size)];
    }

    std::size_t random_size() {
        auto const draw = random_.below(100);
        if (draw < 20) return random_.below(300);
        if (draw < 55) return random_.below(3'000);
        return random_.below(draw < 98 ? 20'000 : 100'000);
    }

    std::string plain(text_kind kind, std::size_t size) {
        switch (kind) {
            case text_kind::json: return document(size);
            case text_kind::rows: return rows(size);
            case text_kind::arguments: return arguments(size);
            case text_kind::log: return log(size);
            case text_kind::diff: return lines(size, [&] { return diff_line(); });
            case text_kind::hits: return lines(size, [&] { return hit(); });
            case text_kind::code: return lines(size, [&] { return code_line(); });
            case text_kind::prose: return prose(size);
            case text_kind::wide: return run_of(size, wide_, 30);
            case text_kind::binary: return binary(size);
            case text_kind::repeated: return repeated(size);
            case text_kind::one_line: return one_line(size);
            case text_kind::blank: return blank(size);
        }
        return {};
    }

    /// Pieces one after the other, up to this size or somewhat more.
    static std::string filled(std::size_t size, auto const& piece) {
        std::string out;
        while (out.size() < size) out += piece();
        return out;
    }

    // JSON

    std::string quoted(std::size_t size) {
        static constexpr pieces<8> escapes{"\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83d\\ude00", "\\/", "\\t", "\\u0000"};
        std::string out{"\""};
        while (out.size() < size) {
            auto const draw = random_.below(20);
            if (draw == 0) out += any_of(escapes);
            else if (draw == 1) out += any_of(wide_);
            else if (draw == 2 && random_.chance(20)) out += any_of(imitations_);
            else out.append(any_of(words_)).append(random_.chance(80) ? " " : "");
        }
        return out + '"';
    }

    std::string key() {
        if (random_.chance(3)) return random_.chance(50) ? "\"\"" : "\"[...]\"";
        return "\"" + std::string{any_of(words_)} + (random_.chance(60) ? std::to_string(random_.below(30)) : "") + '"';
    }

    std::string scalar() {
        switch (random_.below(8)) {
            case 0: return "null";
            case 1: return random_.chance(50) ? "true" : "false";
            case 2: return std::string{any_of(numbers_)};
            case 3: return std::to_string(random_.below(100'000));
            case 4: return quoted(random_.below(400));
            default: return quoted(random_.below(30));
        }
    }

    std::string space() { return pretty_ ? "\n" + std::string(depth_ * 2, ' ') : random_.chance(2) ? " \t" : ""; }

    /// Of `size` bytes or somewhat more.
    std::string value(std::size_t size) {
        if (size < 12 || depth_ > 8) return scalar();
        if (random_.chance(10)) return quoted(size);
        bool const object = random_.chance(60);
        auto const members = 1 + random_.below(random_.chance(50) ? 4 : 40);
        std::string out{object ? "{" : "["};
        ++depth_;
        for (std::size_t member = 0; out.size() < size; ++member) {
            if (member != 0) out += ',';
            out += space();
            if (object) out += key() + (pretty_ ? ": " : ":");
            out += value(size / members);
        }
        --depth_;
        return out + space() + (object ? '}' : ']');
    }

    std::string document(std::size_t size) {
        pretty_ = random_.chance(40);
        auto const draw = random_.below(40);
        if (draw == 0) return random_.chance(50) ? "[]" : " {} \n";
        if (draw == 1) return scalar();
        if (draw == 2) {  // deeper than is read, sometimes
            auto const depth = 1 + random_.below(200);
            return std::string(depth, '[') + quoted(size) + std::string(depth, ']');
        }
        if (draw == 3) return "[" + filled(size, [&] { return std::to_string(random_.below(1'000)) + ","; }) + "0]";
        return value(size);
    }

    std::string row(std::size_t number, bool odd) {
        auto const at = std::to_string(10 + number / 60 % 50) + ":" + std::to_string(10 + number % 50);
        std::string out = R"({"id":)" + std::to_string(1'000 + number) + R"(,"time":"2024-05-01T12:)" + at +
                          R"(","level":")" + (odd ? "error" : "info") + R"(","size":)" +
                          std::to_string(random_.below(odd ? 1'000'000 : 100));
        if (odd && random_.chance(50)) out += "," + key() + ":" + value(60);
        return out + R"(,"text":)" + quoted(odd ? 120 : 20) + "}";
    }

    std::string rows(std::size_t size) {
        pretty_ = false;
        bool const wrapped = random_.chance(30);
        std::string out{wrapped ? R"({"count":12,"items":[)" : "["};
        for (std::size_t number = 0; number == 0 || out.size() < size; ++number) {
            if (number != 0) out += random_.chance(10) ? ",\n" : ",";
            out += row(number, random_.chance(3));
        }
        return out + (wrapped ? R"(],"next":null})" : "]");
    }

    std::string arguments(std::size_t size) {
        pretty_ = false;
        std::string out{"{"};
        if (random_.chance(80)) out += R"("path":"src/)" + std::string{any_of(words_)} + R"(.cpp",)";
        if (random_.chance(20)) out += key() + ": " + value(random_.below(200)) + " , ";
        if (random_.chance(30)) out += R"("new_text":)" + quoted(size / 2) + ",";
        return out + R"("content":)" + quoted(size) + "}";
    }

    // Lines

    std::string lines(std::size_t size, auto const& line) {
        auto out = filled(size, [&] {
            std::string const front{random_.chance(1) && random_.chance(20) ? any_of(imitations_) : ""};
            return front + line() + "\n";
        });
        if (!out.empty() && random_.chance(40)) out.pop_back();
        return out;
    }

    std::string some_words(std::size_t most) {
        std::string out;
        for (auto left = 1 + random_.below(most); left != 0; --left)
            out.append(any_of(words_)).append(left == 1 ? "" : " ");
        return out;
    }

    std::string log(std::size_t size) {
        bool const of_json = random_.chance(20);
        bool const coloured = random_.chance(10);
        std::size_t number = 0;
        return lines(size, [&]() -> std::string {
            ++number;
            if (of_json) return row(number, random_.chance(2));
            auto const draw = random_.below(100);
            if (draw == 0)
                return "Traceback (most recent call last):\n  File \"x.py\", line 3\nValueError: " + some_words(4);
            if (draw == 1) return "";
            std::string const level = draw < 4 ? "ERROR" : draw < 8 ? "WARN" : "INFO";
            return "2024-05-01 12:00:" + std::to_string(10 + number % 50) + " " +
                   (coloured ? "\x1B[31m" + level + "\x1B[0m" : level) + " request " + std::to_string(number) +
                   (draw < 50 ? " served in " + std::to_string(random_.below(90)) + " ms" : " " + some_words(8));
        });
    }

    std::string diff_line() {
        auto const draw = random_.below(30);
        if (draw == 0) return "diff --git a/x b/x\n--- a/x\n+++ b/x";
        if (draw == 1) return "@@ -" + std::to_string(random_.below(900)) + ",7 +12,9 @@ " + some_words(3);
        return (draw < 8 ? "+" : draw < 14 ? "-" : " ") + code_line();
    }

    std::string hit() {
        return std::string{any_of(paths_)} + ":" + std::to_string(random_.below(2'000)) + ":" + code_line();
    }

    std::string code_line() {
        std::string const indent(random_.below(5) * 4, ' ');
        switch (random_.below(6)) {
            case 0: return indent + "if (" + some_words(2) + ") {";
            case 1: return indent + "}";
            case 2: return "";
            case 3: return indent + "// " + some_words(9);
            default: return indent + "auto const " + std::string{any_of(words_)} + " = " + some_words(3) + "();";
        }
    }

    std::string prose(std::size_t size) {
        return lines(size,
                     [&] { return some_words(random_.chance(20) ? 120 : 14) + (random_.chance(30) ? ".\n" : "."); });
    }

    // What is none of these

    template <std::size_t Size>
    std::string run_of(std::size_t size, pieces<Size> const& from, unsigned breaks) {
        return filled(size, [&] {
            std::string const piece{any_of(from)};
            return piece + (!random_.chance(breaks) ? "" : random_.chance(50) ? "\n" : " ");
        });
    }

    std::string binary(std::size_t size) {
        if (random_.chance(30)) return run_of(size, ill_formed_, random_.chance(50) ? 0 : 5);
        return filled(size, [&] { return static_cast<char>(random_.chance(30) ? 0 : random_.below(256)); });
    }

    std::string repeated(std::size_t size) {
        std::string piece;
        switch (random_.below(5)) {
            case 0: piece = "a"; break;
            case 1: piece = some_words(6) + " "; break;
            case 2: piece = std::string{any_of(wide_)}; break;
            case 3: piece = plain(text_kind::log, 1 + random_.below(600)) + "\n"; break;
            default: piece = some_words(30) + "\n"; break;
        }
        std::string out = random_.chance(70) ? prose(random_.below(400)) : "";
        while (out.size() < size) out += piece;
        if (random_.chance(40)) out += piece.substr(0, random_.below(piece.size() + 1));
        return out;
    }

    std::string one_line(std::size_t size) {
        if (random_.chance(30)) return std::string(size, static_cast<char>('!' + random_.below(90)));
        return filled(size, [&] {
            std::string const word{random_.chance(3) ? any_of(wide_) : any_of(words_)};
            return word + (random_.chance(70) ? " " : ",");
        });
    }

    std::string blank(std::size_t size) {
        if (random_.chance(30)) return {};
        return filled(size, [&] { return " \n\t\r"[random_.below(4)]; });
    }

    random_source random_;
    std::size_t depth_ = 0;
    bool pretty_ = false;
};

// Texts that a shortener meets once in its life.

struct hostile_text {
    std::string_view name;
    std::string text;
};

/// Texts of `size` bytes, a megabyte say, each of which is the worst for some way to read it.
inline std::vector<hostile_text> hostile_texts(std::size_t size) {
    auto const times = [size](std::string_view piece, std::string front = {}, std::string_view back = {}) {
        while (front.size() < size) front += piece;
        return front += back;
    };
    auto const half = [size](char byte) { return std::string(size / 2, byte); };
    std::string keys{"{"};
    for (std::size_t key = 0; keys.size() < size; ++key)
        keys += "\"k" + std::to_string(key) + "\":" + std::to_string(key * 7) + ",";
    std::string rows{"["};
    for (std::size_t row = 0; rows.size() < size; ++row)
        rows += R"({"id":)" + std::to_string(row) + R"(,"k)" + std::to_string(row % 5'000) + R"(":"v)" +
                std::to_string(row * row) + "\"},\n";
    std::string different;
    for (std::size_t line = 0; different.size() < size; ++line) {
        for (auto left = line; left != 0; left /= 26) different += static_cast<char>('a' + left % 26);
        different += line % 3 == 0 ? " error\n" : " = 12\n";
    }
    std::string fibonacci{"a"};  // words of it have the most borders
    for (std::string before{"b"}; fibonacci.size() < size;) before = std::exchange(fibonacci, fibonacci + before);
    return {{"one line", std::string(size, 'x')},
            {"line ends", std::string(size, '\n')},
            {"short lines", times("a\n")},
            {"lines all different", different},
            {"carriage returns", std::string(size, '\r')},
            {"NUL", std::string(size, '\0')},
            {"ill-formed", std::string(size, '\xFF')},
            {"continuations", std::string(size, '\x80')},
            {"unfinished", times("\xF0\x9F\x98")},
            {"Han", times("\xE6\xBC\xA2")},
            {"combining marks", times("\xCC\x81", "e")},
            {"joined emoji", times("\xF0\x9F\x91\xA9\xE2\x80\x8D")},
            {"open brackets", std::string(size, '[')},
            {"nested arrays", half('[') + half(']')},
            {"nested objects", times(R"({"a":)")},
            {"quotes", std::string(size, '"')},
            {"backslashes", "\"" + std::string(size, '\\')},
            {"one JSON string", "[\"" + std::string(size, 'x') + "\"]"},
            {"escapes", times("\\ud83d\\ude00", "{\"path\":\"a\",\"content\":\"", "\"}")},
            {"numbers", times("1,", "[", "1]")},
            {"one number", "[" + std::string(size, '1') + "]"},
            {"empty objects", times("{},", "[", "{}]")},
            {"arrays of one", times("[1],", "[", "[1]]")},
            {"keys", keys + "\"end\":0}"},
            {"the same key", times("\"k\":1,", "{", "\"k\":1}")},
            {"rows", rows + "{}]"},
            {"white space in JSON", "[" + std::string(size, ' ') + "1]"},
            {"errors", times("error: x\n")},
            {"markers", times("[... 3 of 9 lines omitted ...]\n")},
            {"no period", fibonacci.substr(0, size)},
            {"almost repeated", half('a') + "b" + half('a')},
            {"search hits", times("a.c:1:x\n")},
            {"hunks", times("@@ -1 +1 @@\n+a\n-b\n")}};
}

}  // namespace laws
