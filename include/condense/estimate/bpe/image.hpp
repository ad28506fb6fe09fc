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

// A vocabulary's tables as a file that is mapped into memory, for programs that start often: nothing is built, and
// processes share the pages. load_vocabulary(path, encoding, image) does all. An image is not portable: it is read only
// on machines of the same byte order, by this version of the format.

namespace condense {
inline namespace v1 {
namespace detail::bpe {

/// The first 128 bytes of an image; the block of tables follows.
struct image_header {
    static constexpr std::uint32_t current_version = 4;

    char magic[8] = {'c', 'n', 'd', 's', 'b', 'p', 'e', '\n'};
    std::uint32_t version = current_version;
    std::uint32_t order = 0x0102'0304;  ///< another number in the other byte order
    std::uint64_t source = 0;  ///< hash of the file it was built from, 0 if unknown
    std::uint64_t sum = 0;  ///< hash of the header, with 0 here, and of all that follows
    std::uint64_t size = 0;  ///< bytes that follow
    std::uint32_t tokens = 0, bytes = 0, nodes = 0, longest = 0;
    std::uint8_t key_bits = 0, slot_bits = 0, pair_bits = 0, edge_bits = 0, ordered = 0, numbered = 0, scheme = 0,
                 step_bits = 0;
    char padding[64] = {};  ///< so that tables begin at a multiple of 64

    image_header() noexcept = default;
    explicit image_header(table_shape const& shape) noexcept
        : tokens{shape.tokens}, bytes{shape.bytes}, nodes{shape.nodes}, longest{shape.longest},
          key_bits{shape.key_bits}, slot_bits{shape.slot_bits}, pair_bits{shape.pair_bits}, edge_bits{shape.edge_bits},
          ordered{shape.ordered}, numbered{shape.numbered}, scheme{static_cast<std::uint8_t>(shape.scheme)},
          step_bits{shape.step_bits} {}

    /// Only for a header that is_current; the sizes may still be unsound.
    table_shape shape() const noexcept {
        return {tokens,    bytes,     nodes,     longest,      key_bits,      slot_bits,
                pair_bits, edge_bits, step_bits, ordered != 0, numbered != 0, static_cast<split_scheme>(scheme)};
    }
    /// True if the header is that of an image of this version and byte order.
    bool is_current() const noexcept {
        image_header const wanted;
        return std::memcmp(magic, wanted.magic, sizeof magic) == 0 && version == current_version &&
               order == wanted.order && ordered <= 1 && numbered <= 1;
    }
};
static_assert(sizeof(image_header) == 128);

/// Identifies the file that an image was built from.
inline std::uint64_t content_sum(std::string_view bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

/// The hash of an image, which tells damage but not malice: XXH3 is not cryptographic.
inline std::uint64_t image_sum(image_header header, std::string_view content) noexcept {
    header.sum = 0;
    return XXH3_64bits_withSeed(content.data(), content.size(), XXH3_64bits(&header, sizeof header));
}

/// A regular file mapped into memory, read only; without bytes if that fails. Does not wait for pipes or devices.
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
        flags |= MAP_POPULATE;  // all of it is checked anyway, and this saves a fault for each page
#endif
        auto const address = ::mmap(nullptr, size, PROT_READ, flags, file.number(), 0);
        if (address != MAP_FAILED) bytes_ = {static_cast<char const*>(address), size};
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

/// The vocabulary of an image, and the hash of the file it was built from.
struct opened_image {
    loaded_vocabulary loaded;
    std::uint64_t source = 0;
};

/// Maps and checks an image; the vocabulary owns the mapping. Costs one pass over the file, some milliseconds.
inline opened_image open_image(std::string const& path) {
    auto const mapped = std::make_shared<mapping>(path);
    auto const bytes = mapped->bytes();
    if (bytes.data() == nullptr) return {{{}, {vocabulary_fault::unreadable, 0}}, 0};
    loaded_vocabulary const bad{{}, {vocabulary_fault::bad_image, 0}};
    image_header header;
    if (bytes.size() < sizeof header) return {bad, 0};
    std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
    auto const shape = header.shape();
    if (!header.is_current() || !is_sound(shape)) return {bad, 0};
    auto const content = bytes.substr(sizeof header);
    if (layout{shape}.size != content.size() || header.size != content.size() ||
        header.sum != image_sum(header, content))
        return {bad, 0};
    auto const in = views(shape, content.data());
    if (!table_check{in}()) return {bad, 0};
    return {{bpe_vocabulary{mapped, in}, {}}, header.source};
}

/// Writes the image to a temporary file beside `path` and renames it, so that the old file is replaced by a complete
/// one or stays. Returns an errno, 0 on success.
inline int write_image(bpe_vocabulary const& vocabulary, std::string const& path, std::uint64_t source) {
    auto const& in = vocabulary.tables();
    image_header header{in.shape};
    // The pairs are the first section of the block.
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
        // Before the rename, so that a crash cannot leave the name with an incomplete file.
        if (error == 0) error = posix::sync(file);
    }
    if (error == 0 && std::rename(name.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) ::unlink(name.c_str());
    return error;
}

}  // namespace detail::bpe

/// Opens an image. The file may be replaced while the vocabulary is in use, but must not be written in place, since it
/// is mapped.
inline loaded_vocabulary open_vocabulary_image(std::string const& path) { return detail::bpe::open_image(path).loaded; }

/// Writes an image and returns an errno, 0 on success. Readers see the old file or the complete new one.
inline int write_vocabulary_image(bpe_vocabulary const& vocabulary, std::string const& path) {
    return detail::bpe::write_image(vocabulary, path, 0);
}

/// A vocabulary that may come from an image.
struct cached_vocabulary : loaded_vocabulary {
    bool from_image = false;  ///< it was mapped, not built
    int image_error = 0;  ///< an errno: why no image could be written, so that the next start builds again
};

namespace detail::bpe {

/// The vocabulary of `image` if it was built from the bytes of `path` and `matches`; else that which `parse` builds
/// from them, and the image is written for the next time.
template <class Matches, class Parse>
inline cached_vocabulary from_image_or(std::string const& path, std::string const& image, Matches const& matches,
                                       Parse const& parse) {
    auto const bytes = read_file(path);
    if (!bytes) return {{{}, {vocabulary_fault::unreadable, 0}}, false, 0};
    // The file is read in any case, since its time of change alone does not prove that it is the same.
    auto const source = content_sum(*bytes);
    auto opened = open_image(image);
    if (opened.loaded && opened.source == source && matches(*opened.loaded.vocabulary))
        return {std::move(opened.loaded), true, 0};
    auto built = parse(*bytes);
    auto const error = built ? write_image(*built.vocabulary, image, source) : 0;
    return {std::move(built), false, error};
}

}  // namespace detail::bpe

/// Loads the vocabulary of a `.tiktoken` file from the image built from that same file, if there is one; else builds
/// it, and writes the image for the next time.
inline cached_vocabulary load_vocabulary(std::string const& path, bpe_encoding const& encoding,
                                         std::string const& image) {
    return detail::bpe::from_image_or(
        path, image,
        [&](bpe_vocabulary const& one) {
            // The same file may have been loaded as another encoding before.
            return one.scheme() == encoding.scheme && (encoding.tokens == 0 || one.size() == encoding.tokens);
        },
        [&](std::string_view ranks) { return parse_vocabulary(ranks, encoding); });
}

/// As above, for a tokenizer.json, which names its encoding itself.
inline cached_vocabulary load_tokenizer_json(std::string const& path, std::string const& image) {
    return detail::bpe::from_image_or(path, image, [](bpe_vocabulary const&) { return true; }, parse_tokenizer_json);
}

}  // namespace v1
}  // namespace condense
