// SPDX-License-Identifier: BSL-1.0

// Vocabularies of bytes, as rank files and as tokenizer.json, and images that were changed and sealed again: an error,
// or counts that are those of a plain merge. Of a forged image counts may be wrong; reading it ends and stays in range.

#include <condense/estimate/bpe/counter.hpp>
#include <condense/estimate/bpe/image.hpp>

#include "estimate/bpe/toy_vocabulary.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using condense::bpe_counter, condense::loaded_vocabulary, condense::split_scheme;

void check_refused(loaded_vocabulary const& loaded) {
    auto const text = loaded.error.text();
    fuzz::require(text.starts_with("condense: bpe_vocabulary: ") && text.ends_with(" (see vocabulary_error)"),
                  "an error is a sentence");
}

std::vector<std::uint32_t> expected(split_scheme scheme, toy_bpe::naive const& plain, std::string_view text) {
    std::vector<std::uint32_t> ids;
    toy_bpe::each_scheme([&]<split_scheme Scheme>() {
        if (Scheme == scheme) ids = plain.all<condense::rules_of(Scheme)>(text);
    });
    return ids;
}

/// `tokens` by rank.
void check_counts(loaded_vocabulary const& loaded, std::vector<std::string> const& tokens, std::string_view text) {
    bpe_counter counter{*loaded.vocabulary};
    auto const wanted = expected(loaded.vocabulary->scheme(), toy_bpe::naive{tokens}, text);
    fuzz::require(counter.count(text) == wanted.size(), "as many tokens as by the definition");
    fuzz::require(counter.count(text) == wanted.size(), "and again, remembered");
    fuzz::require(counter.encode(text) == wanted, "these tokens");
}

/// The tokens of a rank file by rank, read as plainly as can be; nothing for a line that is none.
std::optional<std::vector<std::string>> read_plainly(std::string_view text) {
    std::map<std::size_t, std::string> ranks;
    for (; !text.empty(); text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1)) {
        auto line = text.substr(0, text.find('\n'));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        auto const space = line.find(' ');
        if (space == line.npos) return {};
        std::string token;
        if (!condense::detail::base64::append_decoded(token, line.substr(0, space))) return {};
        std::size_t rank = 0;
        for (char const digit : line.substr(space + 1)) rank = rank * 10 + static_cast<std::size_t>(digit - '0');
        ranks[rank] = token;
    }
    std::vector<std::string> tokens;
    for (auto& [rank, token] : ranks) {
        if (rank != tokens.size()) return {};
        tokens.push_back(std::move(token));
    }
    return tokens;
}

/// The 256 bytes in some order, and further tokens of choice among them, most of them joined of two others: of few
/// letters, so that many merges follow from others.
std::vector<std::string> chosen_tokens(byte_source& bytes) {
    std::vector<std::string> tokens;
    auto const turn = bytes.below(256);
    for (std::size_t byte = 0; byte < 256; ++byte)
        tokens.emplace_back(1, static_cast<char>(static_cast<unsigned char>(byte ^ turn)));
    std::vector<std::string> made;
    auto const some = [&]() -> std::string {
        switch (bytes.below(8)) {
            case 0: return tokens[bytes.below(tokens.size())];
            case 1:
            case 2: return {"abcd"[bytes.below(4)]};
            default: return made.empty() ? std::string{"abcd"[bytes.below(4)]} : made[bytes.below(made.size())];
        }
    };
    for (auto left = bytes.below(64); left != 0; --left) {
        auto const token = bytes.chance(85) ? some() + some() : std::string{bytes.text(6)};
        auto const at = 1 + bytes.below(tokens.size());
        if (token.empty() || token.size() > 64 || std::find(tokens.begin(), tokens.end(), token) != tokens.end())
            continue;
        tokens.insert(bytes.chance(30) ? tokens.begin() + static_cast<std::ptrdiff_t>(at) : tokens.end(), token);
        made.push_back(token);
    }
    return tokens;
}

std::string chosen_text(byte_source& bytes, std::vector<std::string> const& tokens) {
    std::string text;
    for (int pieces = 0; pieces < 200 && text.size() < 1'500 && !bytes.empty(); ++pieces) switch (bytes.below(4)) {
            case 0: text += bytes.take(1 + bytes.below(8)); break;
            case 1: {
                toy_bpe::numbers any{bytes.below(65'536)};
                for (auto left = bytes.below(90); left != 0; --left) text += "abcd"[any.below(4)];
                break;
            }
            case 2: {
                toy_bpe::numbers any{bytes.below(65'536)};
                text += bytes.chance(70) ? toy_bpe::text(any, 30) : toy_bpe::long_pieces(any, 1);
                break;
            }
            default: text += tokens[bytes.below(tokens.size())];
        }
    return text;
}

void check_ranks(byte_source& bytes) {
    auto const tokens = chosen_tokens(bytes);
    auto ranks = toy_bpe::ranks(tokens);
    auto const scheme = static_cast<split_scheme>(bytes.below(std::size(toy_bpe::schemes)));
    auto const damage = bytes.below(4) == 0 ? 1 + bytes.below(3) : 0;
    for (std::size_t done = 0; done < damage; ++done) {
        auto const at = bytes.below(ranks.size());
        switch (bytes.below(3)) {
            case 0: ranks[at] = static_cast<char>(bytes.below(256)); break;
            case 1: ranks.erase(at, bytes.below(20)); break;
            default: ranks.insert(at, bytes.text(12));
        }
    }
    auto const loaded = condense::parse_vocabulary(ranks, {"fuzz", scheme, 0});
    if (!loaded) {
        fuzz::require(damage != 0, "a whole vocabulary is read");
        return check_refused(loaded);
    }
    auto const plain = damage == 0 ? tokens : read_plainly(ranks);
    fuzz::require(plain.has_value(), "what is read is a rank file");
    check_counts(loaded, *plain, chosen_text(bytes, *plain));
}

/// The text of a file, whatever it is.
void check_file(byte_source& bytes) {
    auto const text = bytes.rest();
    auto const loaded = condense::parse_vocabulary(text, {"fuzz", split_scheme::cl100k, 0});
    if (!loaded) check_refused(loaded);
    auto const other = condense::parse_tokenizer_json(text);
    if (!other) return check_refused(other);
    bpe_counter counter{*other.vocabulary};
    fuzz::require(counter.count("Some text, 42 \xE4\xB8\xAD") == counter.encode("Some text, 42 \xE4\xB8\xAD").size(),
                  "counts are those of tokens");
}

/// An image whose numbers were changed, behind a sum that is right.
void check_image(byte_source& bytes) {
    auto const path = fuzz::folder() + "/image";
    static auto const images = [&] {
        std::vector<std::string> all;
        for (auto const& tokens : {toy_bpe::trained(40), toy_bpe::wild(3)}) {
            auto const made = toy_bpe::vocabulary(tokens, split_scheme::o200k);
            fuzz::require(condense::write_vocabulary_image(made, path) == 0, "an image is written");
            all.push_back(fuzz::bytes_of(path));
        }
        return all;
    }();
    auto image = images[bytes.below(images.size())];
    namespace bpe = condense::detail::bpe;
    bool const sealed = bytes.chance(90);
    for (auto left = bytes.below(4); left != 0; --left) {
        auto const width = std::size_t{1} << bytes.below(4);
        auto at = bytes.below(2) == 0 ? 32 + bytes.below(32) : bytes.below(image.size());
        at = std::min(at / width * width, image.size() - width);
        auto value = bytes.chance(50) ? bytes.next() : bytes.below(400);
        for (std::size_t byte = 0; byte < width; ++byte, value >>= 8) image[at + byte] = static_cast<char>(value & 255);
    }
    if (sealed) {
        bpe::image_header header;
        std::memcpy(static_cast<void*>(&header), image.data(), sizeof header);
        header.size = image.size() - sizeof header;
        header.sum = bpe::image_sum(header, std::string_view{image}.substr(sizeof header));
        std::memcpy(image.data(), &header, sizeof header);
    }
    fuzz::write(path, image);
    auto const loaded = condense::open_vocabulary_image(path);
    if (!loaded) return check_refused(loaded);
    bpe_counter counter{*loaded.vocabulary};
    auto const text = chosen_text(bytes, toy_bpe::trained(40));
    static_cast<void>(counter.count(text));
    static_cast<void>(counter.encode(text));
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    corpus made{.words = listed("bpe", "words"), .mutations = 2'500};
    for (char const mode : {'\0', '\1'}) made.add(std::string(1, mode), random_seeds(30, 20));
    made.add("\2", {toy_bpe::ranks(toy_bpe::trained(8))});
    made.add("\2", listed("bpe", "files"));
    return made;
}

void fuzz::try_input(byte_source bytes) {
    switch (bytes.below(256) % 3) {
        case 0: check_ranks(bytes); break;
        case 1: check_image(bytes); break;
        default: check_file(bytes);
    }
}
