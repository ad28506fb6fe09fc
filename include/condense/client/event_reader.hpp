// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

// Server-Sent Events, byte by byte: what the stream of a model is made of, however it is cut into packets.

namespace condense {
inline namespace v1 {

/// Gives the data of each event, at most a megabyte; other fields and comments are passed over. Linear.
class event_reader {
public:
    static constexpr std::size_t most = 1u << 20;  ///< bytes of one event

    /// Calls take(std::string_view) for each event that ends in the packet. False once one is larger than it may be.
    template <class Take>
    [[nodiscard]] bool feed(std::string_view packet, Take&& take) {
        while (!packet.empty()) {
            // Lines end with CR, LF, or both, which may come in two packets.
            if (std::exchange(after_return_, false) && packet[0] == '\n') {
                packet.remove_prefix(1);
                continue;
            }
            auto const end = packet.find_first_of("\r\n");
            auto const line = packet.substr(0, end);
            if (line_.size() + data_.size() + line.size() > most) return false;
            line_.append(line);
            if (end == packet.npos) return true;
            after_return_ = packet[end] == '\r';
            end_line(take);
            packet.remove_prefix(end + 1);
        }
        return true;
    }

    /// At the end of the stream; an event that no empty line ended counts.
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

    std::string line_;
    std::string data_;
    bool after_return_ = false;
};

}  // namespace v1
}  // namespace condense
