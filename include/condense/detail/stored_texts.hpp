// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <condense/detail/netstring.hpp>
#include <condense/detail/saturate.hpp>

// The texts inside of stored bytes, so that they can be replaced by others of another length: fields as `size:bytes,`,
// self-described CBOR, and anything else as one text.

namespace condense {
inline namespace v1 {
namespace detail {

/// What the JSON adapter begins with where JSON would lose something (RFC 8949, section 3.4.6).
inline constexpr std::string_view cbor_mark = "\xD9\xD9\xF7";

/// Appends the head of a CBOR item of known length.
inline void put_cbor_head(std::string& out, unsigned major, std::uint64_t size) {
    unsigned const extra = size < 24 ? 0 : size <= 0xFF ? 1 : size <= 0xFFFF ? 2 : size <= 0xFFFF'FFFF ? 4 : 8;
    unsigned const info = extra == 0   ? static_cast<unsigned>(size)
                          : extra == 1 ? 24
                          : extra == 2 ? 25
                          : extra == 4 ? 26
                                       : 27;
    out.push_back(static_cast<char>(major << 5 | info));
    for (auto shift = extra; shift-- > 0;) out.push_back(static_cast<char>(size >> (8 * shift)));
}

/// Calls f(text) for each string of CBOR after its mark, keys too, and sums up what it returns. False, and nothing is
/// changed, if the bytes are no such CBOR; items of indefinite length are not written by the adapter. Arrays and maps
/// are heads before their items, so that no depth has to be followed.
template <class Function>
bool rewrite_cbor(std::string& bytes, Function const& f, std::size_t& count) {
    if (!bytes.starts_with(cbor_mark)) return false;
    std::string out{cbor_mark};
    std::size_t changes = 0;
    for (auto rest = std::string_view{bytes}.substr(cbor_mark.size()); !rest.empty();) {
        auto const head = static_cast<unsigned char>(rest.front());
        unsigned const major = head >> 5;
        unsigned const info = head & 31u;
        if (info > 27) return false;
        std::size_t const extra = info < 24 ? 0 : std::size_t{1} << (info - 24);
        if (rest.size() <= extra) return false;
        std::uint64_t size = info < 24 ? info : 0;
        for (std::size_t index = 1; index <= extra; ++index) size = size << 8 | static_cast<unsigned char>(rest[index]);
        if (major != 2 && major != 3) {
            out.append(rest.substr(0, 1 + extra));
            rest.remove_prefix(1 + extra);
            continue;
        }
        rest.remove_prefix(1 + extra);
        if (size > rest.size()) return false;
        std::string text{rest.substr(0, as_size(size))};
        rest.remove_prefix(text.size());
        changes += f(text);
        put_cbor_head(out, major, text.size());
        out.append(text);
    }
    count += changes;
    if (changes != 0) bytes = std::move(out);
    return true;
}

/// Calls f(std::string&) for each text in the bytes; f returns how many changes it has made, of which this is the sum.
/// Afterwards the bytes are of the same format.
template <class Function>
std::size_t rewrite_texts(std::string& bytes, Function const& f) {
    std::size_t count = 0;
    auto const rewrite = [&](std::string& text) {
        if (!rewrite_cbor(text, f, count)) count += f(text);
    };
    std::string out;
    for (field_reader fields{bytes}; !fields.done();) {
        std::string field{fields.text()};
        if (fields.broken()) {
            count = 0;
            rewrite(bytes);
            return count;
        }
        rewrite(field);
        put_field(out, field);
    }
    if (count != 0) bytes = std::move(out);
    return count;
}

}  // namespace detail
}  // namespace v1
}  // namespace condense
