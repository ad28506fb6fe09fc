// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Server-Sent Events, byte by byte: what a stream is made of, however it is cut into packets.

namespace repl {

/// Gives the data of each event, at most a megabyte; other fields and comments are passed over.
class event_reader {
public:
    /// False when one event is larger than it may be.
    template <class Take>
    [[nodiscard]] bool feed(std::string_view bytes, Take&& take) {
        for (char const byte : bytes) {
            // Lines end with CR, LF, or both, which may come in two packets.
            auto const second_half = byte == '\n' && after_return_;
            after_return_ = byte == '\r';
            if (second_half) continue;
            if (byte == '\n' || byte == '\r') end_line(take);
            else if (line_.size() + data_.size() >= most) return false;
            else line_.push_back(byte);
        }
        return true;
    }

    /// At the end of the stream; an event that nothing ended counts.
    template <class Take>
    void finish(Take&& take) {
        end_line(take);
        end_line(take);
    }

private:
    template <class Take>
    void end_line(Take&& take) {
        std::string_view line{line_};
        if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
        if (line.empty()) {
            if (!data_.empty()) take(std::string_view{data_});
            data_.clear();
        } else if (line.starts_with("data:")) {
            line.remove_prefix(line.starts_with("data: ") ? 6 : 5);
            if (!data_.empty()) data_.push_back('\n');
            data_.append(line);
        }
        line_.clear();
    }

    static constexpr std::size_t most = 1u << 20;
    std::string line_;
    std::string data_;
    bool after_return_ = false;
};

}  // namespace repl
