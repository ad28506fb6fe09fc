// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

// Paths that share folders, written as a shell reads them: src/{io/{read.cpp,write.cpp},main.cpp}.

namespace condense {
inline namespace v1 {
namespace detail {

/// Expands such lists, as far as `text` is longer by no more than 64 KiB then; the rest stays as it is.
class brace_expansion {
public:
    explicit brace_expansion(std::string_view text) : text_{text}, most_{text.size() + (std::size_t{1} << 16)} {
        for (std::size_t begin = 0; begin < text.size();) {
            auto end = begin;
            while (end < text.size() && !is_space(text[end])) ++end;
            word(begin, end);
            for (; end < text.size() && is_space(text[end]); ++end) out_.push_back(text[end]);
            begin = end;
        }
    }
    std::string take() && { return std::move(out_); }

private:
    static constexpr unsigned depth_most = 64;
    static constexpr bool is_space(char byte) noexcept { return byte == ' ' || byte == '\n'; }

    /// Writes text[begin, end), which has no space: the paths of the list in it, or all of it if there is none.
    void word(std::size_t begin, std::size_t end) {
        auto const expression = text_.substr(begin, end - begin);
        auto const size = out_.size();
        std::string front;
        if (expression.find("/{") == std::string_view::npos || list(begin, end, front, 0) != end) {
            out_.resize(size);
            out_.append(expression);
        } else out_.pop_back();
    }
    /// Writes the alternatives at `begin`, separated by commas, each behind `front` and with a space after it. Returns
    /// where they end: at a closing brace, or at `end`; none if the text is no such list.
    std::size_t list(std::size_t begin, std::size_t end, std::string& front, unsigned depth) {
        if (depth == depth_most) return none;
        auto const shared = front.size();
        for (auto position = begin;; ++position) {
            if (position == end || text_[position] == ',' || text_[position] == '}') {
                if (depth == 0 && position != end) return none;
                front.append(text_.substr(begin, position - begin));
                if (out_.size() + front.size() >= most_) return none;
                bool const behind_list = position == begin && begin != 0 && text_[begin - 1] == '}';
                if (!behind_list) out_.append(front).push_back(' ');
                front.resize(shared);
                if (position == end || text_[position] == '}') return position;
                begin = position + 1;
            } else if (text_[position] == '{') {
                if (position == begin || text_[position - 1] != '/') return none;
                front.append(text_.substr(begin, position - begin));
                auto const close = list(position + 1, end, front, depth + 1);
                front.resize(shared);
                if (close == none || close == end) return none;
                // Nothing but the next alternative, or the end of these, may follow.
                position = close;
                begin = close + 1;
                if (begin != end && text_[begin] != ',' && text_[begin] != '}') return none;
            }
        }
    }
    static constexpr std::size_t none = std::string_view::npos;

    std::string_view text_;
    std::size_t most_;
    std::string out_;
};

inline std::string expand_braces(std::string_view text) { return brace_expansion{text}.take(); }

}  // namespace detail
}  // namespace v1
}  // namespace condense
