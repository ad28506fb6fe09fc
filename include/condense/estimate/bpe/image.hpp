// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condense/detail/posix_file.hpp>
#include <condense/detail/xxhash.hpp>
#include <condense/estimate/bpe/table_check.hpp>
#include <condense/estimate/bpe/tokenizer_json.hpp>
#include <condense/estimate/bpe/vocabulary.hpp>

// A vocabulary's tables as a file that is mapped into memory, for programs that start often: nothing is
// built, and processes share the pages. Of this machine's byte order and this version alone.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

struct image_header {
    static constexpr std::uint32_t current = 3;

    char magic[8] = {'c', 'n', 'd', 's', 'b', 'p', 'e', '\n'};
    std::uint32_t version = current;
    std::uint32_t order = 0x0102'0304;  ///< reads otherwise in the other byte order
    std::uint64_t source = 0;           ///< hash of the rank file
    std::uint64_t sum = 0;              ///< hash of the header without it and of what follows
    std::uint64_t size = 0;             ///< bytes that follow
    std::uint32_t tokens = 0, bytes = 0, nodes = 0, longest = 0;
    std::uint8_t key_bits = 0, slot_bits = 0, pair_bits = 0, edge_bits = 0, ordered = 0, numbered = 0, scheme = 0,
                 none = 0;
    char padding[64] = {};              ///< so that tables begin on a line

    image_header() noexcept = default;
    explicit image_header(shape const& of) noexcept
        : tokens{of.tokens}, bytes{of.bytes}, nodes{of.nodes}, longest{of.longest}, key_bits{of.key_bits},
          slot_bits{of.slot_bits}, pair_bits{of.pair_bits}, edge_bits{of.edge_bits}, ordered{of.ordered},
          numbered{of.numbered}, scheme{static_cast<std::uint8_t>(of.scheme)} {}

    shape of() const noexcept {
        return {tokens,
                bytes,
                nodes,
                longest,
                key_bits,
                slot_bits,
                pair_bits,
                edge_bits,
                ordered != 0,
                numbered != 0,
                static_cast<split_scheme>(scheme)};
    }
    bool known() const noexcept {
        image_header const wanted;
        return std::memcmp(magic, wanted.magic, sizeof magic) == 0 && version == current && order == wanted.order &&
               ordered <= 1 && numbered <= 1;
    }
};
static_assert(sizeof(image_header) == 128);

inline std::uint64_t content_sum(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

inline std::uint64_t image_sum(image_header header, std::string_view content) noexcept {
    header.sum = 0;
    return XXH3_64bits_withSeed(content.data(), content.size(), XXH3_64bits(&header, sizeof header));
}

/// A file in memory, read only.
class mapping {
public:
    explicit mapping(std::string const& path) noexcept {
        posix::descriptor const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
        if (!file) return;
        auto const about = posix::about(file);
        if (!S_ISREG(about.st_mode) || about.st_size <= 0) return;
        auto const size = static_cast<std::size_t>(about.st_size);
        int flags = MAP_PRIVATE;
#if defined(MAP_POPULATE)
        flags |= MAP_POPULATE;  // all of it is checked anyway, and so without a fault for each page
#endif
        auto const found = ::mmap(nullptr, size, PROT_READ, flags, file.number(), 0);
        if (found != MAP_FAILED) bytes_ = {static_cast<char const*>(found), size};
    }
    mapping(mapping const&) = delete;
    mapping& operator=(mapping const&) = delete;
    ~mapping() {
        if (bytes_.data() != nullptr) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
    }
    std::string_view bytes() const noexcept { return bytes_; }

private:
    std::string_view bytes_;
};

struct opened_image {
    loaded_vocabulary found;
    std::uint64_t source = 0;
};

inline opened_image open_image(std::string const& path) {
    auto const mapped = std::make_shared<mapping>(path);
    auto const bytes = mapped->bytes();
    if (bytes.data() == nullptr) return {{{}, {vocabulary_fault::unreadable, 0}}, 0};
    loaded_vocabulary const bad{{}, {vocabulary_fault::bad_image, 0}};
    image_header header;
    if (bytes.size() < sizeof header) return {bad, 0};
    std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
    auto const of = header.of();
    if (!header.known() || !sound(of)) return {bad, 0};
    auto const content = bytes.substr(sizeof header);
    if (layout{of}.size != content.size() || header.size != content.size() || header.sum != image_sum(header, content))
        return {bad, 0};
    auto const found = views(of, content.data());
    if (!table_check{found}()) return {bad, 0};
    return {{bpe_vocabulary{mapped, found}, {}}, header.source};
}

/// Puts the image in place of what has that name, whole or not at all; an errno.
inline int write_image(bpe_vocabulary const& vocabulary, std::string const& path, std::uint64_t source) {
    auto const& in = vocabulary.tables();
    image_header header{in.of};
    std::string_view const content{reinterpret_cast<char const*>(in.pairs), vocabulary.memory()};
    header.source = source;
    header.size = content.size();
    header.sum = image_sum(header, content);
    auto name = path + ".XXXXXX";
    int error = 0;
    {
        posix::descriptor const file{::mkstemp(name.data())};
        if (!file) return errno;
        error = posix::write_all(file, {reinterpret_cast<char const*>(&header), sizeof header});
        if (error == 0) error = posix::write_all(file, content);
        if (error == 0) error = posix::sync(file);
    }
    if (error == 0 && std::rename(name.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(name.c_str());
    return error;
}

}  // namespace detail::bpe

/// The vocabulary of an image. The file may be replaced while it is in use, but not written in place.
inline loaded_vocabulary open_vocabulary_image(std::string const& path) { return detail::bpe::open_image(path).found; }

/// Writes an image; an errno, 0 where it is written. Readers see the old file or the new one.
inline int write_vocabulary_image(bpe_vocabulary const& vocabulary, std::string const& path) {
    return detail::bpe::write_image(vocabulary, path, 0);
}

struct cached_vocabulary : loaded_vocabulary {
    bool from_image = false;
    int image_error = 0;  ///< an errno: why no image was written, so that the next start is slow again
};

namespace detail::bpe {

/// What the image made of the same bytes has, where it is `right`; else what `parse` makes of them, and the image
/// written.
template <class Right, class Parse>
inline cached_vocabulary from_image_or(std::string const& path, std::string const& image, Right const& right,
                                       Parse const& parse) {
    auto const bytes = whole_file(path);
    if (!bytes) return {{{}, {vocabulary_fault::unreadable, 0}}, false, 0};
    auto const source = content_sum(*bytes);
    auto found = open_image(image);
    if (found.found && found.source == source && right(*found.found.vocabulary))
        return {std::move(found.found), true, 0};
    auto made = parse(*bytes);
    auto const error = made ? write_image(*made.vocabulary, image, source) : 0;
    return {std::move(made), false, error};
}

}  // namespace detail::bpe

/// The vocabulary of a `.tiktoken` file, from the image made of that same file where there is one; else it
/// is built, and the image written for the next time.
inline cached_vocabulary load_vocabulary(std::string const& path, bpe_encoding const& encoding,
                                         std::string const& image) {
    return detail::bpe::from_image_or(
        path, image,
        [&](bpe_vocabulary const& one) {
            return one.scheme() == encoding.scheme && (encoding.tokens == 0 || one.size() == encoding.tokens);
        },
        [&](std::string_view ranks) { return parse_vocabulary(ranks, encoding); });
}

/// The same of a tokenizer.json.
inline cached_vocabulary load_tokenizer_json(std::string const& path, std::string const& image) {
    return detail::bpe::from_image_or(path, image, [](bpe_vocabulary const&) { return true; }, parse_tokenizer_json);
}

}  // namespace v1
}  // namespace condense
