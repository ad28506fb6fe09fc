// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "plan/planted_facts.hpp"

// Artifacts of an agent's work, written unit by unit: the lines of a log, the elements of a JSON array, sentences,
// statements.

namespace plan_tests {

enum class artifact_kind : std::uint8_t { log, json, prose, code };

namespace planting {

/// How what is written looks: the same for all of an artifact.
struct style {
    artifact_kind kind = artifact_kind::log;
    fact_family family = fact_family::setting;  ///< of most facts
    std::size_t format = 0;  ///< of times, of JSON, the language of code
    std::size_t shape = 0;  ///< of JSON elements
    bool camel = false;
    bool wrapped = false;  ///< lines of prose end at 80 bytes
    std::string host;

    /// As the names of lists of words begin.
    std::string tongue() const {
        switch (kind) {
            case artifact_kind::log: return "log_";
            case artifact_kind::json: return "json_";
            case artifact_kind::prose: return "prose_";
            default: return format % 2 == 1 ? "python_" : "cpp_";
        }
    }
};

inline words::list patterns_of(fact_family family, style const& look) {
    static constexpr std::string_view families[] = {"settings", "limits", "runs", "incidents"};
    return words::of(look.tongue().append(families[static_cast<std::size_t>(family)]));
}

/// JSON without space, laid out: with spaces, or over lines that are indented by so much a level.
inline std::string laid_out(std::string_view compact, std::size_t indent, std::size_t level) {
    std::string out;
    bool quoted = false;
    auto const line = [&] {
        if (indent != 0) out.append("\n").append(indent * level, ' ');
    };
    for (char const byte : compact) {
        if (byte == '"') quoted = !quoted;
        if (!quoted && byte == '}') {
            --level;
            line();
        }
        out.push_back(byte);
        if (quoted) continue;
        if (byte == ':' || (byte == ',' && indent == 0)) out.push_back(' ');
        if (byte == '{') ++level;
        if (byte == '{' || byte == ',') line();
    }
    return out;
}

/// An artifact that is being written.
class sheet {
public:
    sheet(style look, std::uint64_t clock, laws::random_source& random)
        : look_{std::move(look)}, clock_{clock}, random_{random} {
        if (look_.kind == artifact_kind::json) text_ = nested() ? opening() : "[";
        if (look_.kind == artifact_kind::code && look_.format % 2 == 0)
            text_ = "#include <string>\n#include <vector>\n";
        if (look_.kind == artifact_kind::code && look_.format % 2 == 1) text_ = "import logging\nimport time\n";
    }

    style const& look() const { return look_; }
    std::size_t size() const { return text_.size(); }
    std::uint64_t clock() const { return clock_; }
    void clock(std::uint64_t milliseconds) { clock_ = (std::max)(clock_, milliseconds); }
    /// The terms of the latest units, of about a passage.
    std::string const& recent() const { return recent_; }
    void forget() { recent_.clear(); }
    /// A unit without its time.
    std::string_view body(std::string_view unit) const {
        return unit.substr(look_.kind == artifact_kind::log ? time().size() : 0);
    }

    /// A fact as a unit of this artifact. `seed` decides on all that is not the fact.
    std::string unit(fact const& given, std::uint64_t seed) const {
        laws::random_source random{seed};
        return laid(pattern_writer{given, how(), random}(pattern(given.family, seed)), random);
    }
    /// The pattern of such a unit.
    std::string_view pattern(fact_family family, std::uint64_t seed) const {
        auto const patterns = patterns_of(family, look_);
        laws::random_source random{~seed};
        return patterns[look_.kind == artifact_kind::json ? look_.shape % patterns.size()
                                                          : random.below(patterns.size())];
    }
    /// A unit without a fact; JSON has none.
    std::string plain_unit() const { return laid(drawn("lines"), random_); }
    spelling how() const { return {.camel = look_.camel, .prose = look_.kind == artifact_kind::prose}; }

    /// Appends a unit and returns where it begins.
    std::size_t append(std::string_view unit) {
        separate();
        if (look_.kind == artifact_kind::code) {
            auto const begin = unit.find_first_not_of(' ');
            text_.append(unit.substr(0, begin));
            unit.remove_prefix(begin);
        }
        auto const offset = text_.size();
        text_ += unit;
        recent_ += terms_of(body(unit));
        if (recent_.size() > 600) recent_.erase(0, recent_.size() - 600);
        ++units_;
        if (look_.kind == artifact_kind::log) {
            text_.push_back('\n');
            clock_ += 1 + random_.below(random_.chance(70) ? 900 : 60'000);
        }
        return offset;
    }

    std::string take() {
        if (look_.kind == artifact_kind::json) text_ += end_of_json();
        if (look_.kind == artifact_kind::code) text_ += look_.format % 2 == 0 ? "\n}\n" : "\n";
        if (look_.kind == artifact_kind::prose) {
            text_.push_back('\n');
            if (look_.wrapped) wrap();
        }
        return std::move(text_);
    }

private:
    bool nested() const { return look_.format % 2 == 1; }
    std::size_t indent() const { return look_.format / 2 % 4 < 2 ? 0 : look_.format / 2 % 4 == 2 ? 2 : 4; }
    bool compact() const { return look_.format / 2 % 4 == 0; }
    std::string opening() const {
        return compact() ? R"({"page":1,"items":[)" : laid_out(R"({"page":1,"items":[)", indent(), 0);
    }
    std::string end_of_json() const {
        auto const line = [&](std::size_t level) {
            return indent() == 0 ? std::string{} : "\n" + std::string(indent() * level, ' ');
        };
        return nested() ? line(1) + "]" + line(0) + "}" : line(0) + "]";
    }

    std::string laid(std::string unit, laws::random_source& random) const {
        if (look_.kind == artifact_kind::log) {
            static constexpr std::string_view levels[] = {"INFO ", "INFO ", "INFO ", "DEBUG", "WARN ", "ERROR"};
            return time() + " " + std::string{levels[random.below(6)]} + " " + unit;
        }
        if (look_.kind == artifact_kind::json && !compact()) return laid_out(unit, indent(), nested() ? 2 : 1);
        return unit;
    }

    std::string time() const {
        auto const second = clock_ / 1'000;
        calendar_day const day{second / 86'400};
        auto const clock =
            padded(second / 3'600 % 24, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2);
        auto const fraction = padded(clock_ % 1'000, 3);
        switch (look_.format % 4) {
            case 0: return day.digits() + "T" + clock + "." + fraction + "Z";
            case 1: return day.digits() + " " + clock + "," + fraction;
            case 2: return "[" + clock + "." + fraction + "]";
            default:
                return words::of("months")[day.month].substr(0, 3) + " " + padded(day.day + 1, 2) + " " + clock + " " +
                       look_.host;
        }
    }

    /// What stands between the latest unit and the next.
    void separate() {
        switch (look_.kind) {
            case artifact_kind::log: break;
            case artifact_kind::json:
                if (units_ != 0) text_.append(compact() || indent() != 0 ? "," : ", ");
                if (indent() != 0) text_.append("\n").append(indent() * (nested() ? 2 : 1), ' ');
                break;
            case artifact_kind::prose:
                if (left_ != 0) {
                    text_.push_back(' ');
                    --left_;
                    break;
                }
                left_ = 2 + random_.below(5);
                if (units_ != 0) text_.append("\n\n");
                if (units_ == 0 || random_.chance(20)) text_.append(drawn("heads")).append("\n\n");
                break;
            default:
                if (left_ != 0) {
                    text_.push_back('\n');
                    --left_;
                    break;
                }
                left_ = 3 + random_.below(9);
                if (units_ != 0) text_ += look_.format % 2 == 0 ? "\n}\n" : "\n";
                text_.append("\n").append(drawn("heads")).append("\n");
        }
    }
    /// A line that holds no fact, or a head.
    std::string drawn(std::string_view which) const {
        fact const none{};
        auto const all = words::of(look_.tongue().append(which));
        auto const& pattern = all[random_.below(all.size())];
        return pattern_writer{none, how(), random_}(pattern);
    }

    /// Ends lines at 80 bytes, as far as they have spaces. Offsets stay.
    void wrap() {
        std::size_t line = 0, space = 0;
        for (std::size_t index = 0; index < text_.size(); ++index) {
            if (text_[index] == '\n') line = index + 1;
            if (text_[index] == ' ') space = index;
            if (index - line < 80 || space <= line || text_[line] == '#') continue;
            text_[space] = '\n';
            line = space + 1;
        }
    }

    style look_;
    std::uint64_t clock_;  ///< milliseconds since the year began
    laws::random_source& random_;
    std::string text_;
    std::string recent_;
    std::size_t units_ = 0;
    std::size_t left_ = 0;  ///< units of the paragraph or function
};

}  // namespace planting
}  // namespace plan_tests
