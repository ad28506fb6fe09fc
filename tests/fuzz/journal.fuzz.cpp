// SPDX-License-Identifier: BSL-1.0

// Journals whose files were damaged: every line that is whole is read, in order, and nothing else; what is appended
// then is readable.

#include <condense/store/journal_folder.hpp>

#include "fuzz/fuzz.hpp"
#include "support/parts.hpp"

namespace {

namespace fs = std::filesystem;

/// A line as it was appended.
struct entry {
    std::uint64_t number = 0;
    std::string content = {};
    bool is_derived = false;
    friend bool operator==(entry const&, entry const&) = default;
};

std::vector<entry> read(condense::journal_folder const& from, std::string const& id) {
    std::vector<entry> all;
    auto const problem = from.read(id, [&](condense::journal_entry const& line, std::string_view content) {
        all.push_back({line.number, std::string{content}, line.is_derived});
    });
    fuzz::require(!problem, "a damaged file is read");
    return all;
}

entry append(condense::journal_folder const& to, std::string const& id, entry what) {
    auto const problem =
        to.append(id, {to.name(what.content), what.number, what.is_derived, 1'700'000'000}, what.content);
    fuzz::require(!problem, "a line is appended");
    return what;
}

/// The lines between the breaks of a text; a last one without a break is none.
std::vector<std::string_view> lines_of(std::string_view text) {
    auto all = parts_of(text, '\n');
    all.pop_back();
    return all;
}

std::string chosen_content(byte_source& bytes) {
    switch (bytes.below(4)) {
        case 0: return "{\"text\":\"" + std::to_string(bytes.below(1'000)) + "\",\"n\":1.50}";
        case 1: return std::string(bytes.below(200), static_cast<char>(bytes.below(256)));
        default: return std::string{bytes.text(60)};
    }
}

void damage(std::string& file, byte_source& bytes) {
    auto const at = bytes.below(file.size() + 1);
    switch (bytes.below(8)) {
        case 0: file.resize(at); break;
        case 1: file.insert(at, std::string(bytes.below(64), '\0')); break;
        case 2: file.replace(at, bytes.below(64), std::string(bytes.below(64), '\0')); break;
        case 3: file.insert(at, "\n"); break;
        case 4: file.erase(at, bytes.below(64)); break;
        case 5: file.insert(at, bytes.text(40)); break;
        case 6: {  // some bytes of the file once more
            auto const copy = file.substr(bytes.below(file.size() + 1), bytes.below(300));
            file.insert(at, copy);
            break;
        }
        default:
            if (at < file.size()) file[at] = static_cast<char>(file[at] ^ (1 << bytes.below(8)));
    }
}

}  // namespace

fuzz::corpus fuzz::make_corpus() {
    return {.seeds = random_seeds(40, 8),
            .words = {"{\"number\":", "\",\"check\":\"", ",\"made\":true}", "\n", std::string(4, '\0')},
            .mutations = 8'000};
}

void fuzz::try_input(byte_source bytes) {
    auto const folder = fuzz::folder() + "/journal";
    std::string const id{bytes.text(8)};
    condense::journal_folder const journal{folder};
    auto const path = folder + "/" + condense::content_hash{}(id, 0).text() + ".jsonl";
    std::error_code ignored;
    fs::remove(path, ignored);

    std::vector<entry> kept;
    for (auto count = 1 + bytes.below(6); kept.size() < count;) {
        entry next{.number = kept.size(), .is_derived = bytes.chance(15)};
        if (!next.is_derived) next.content = chosen_content(bytes);
        kept.push_back(append(journal, id, next));
    }
    fuzz::require(read(journal, id) == kept, "what was appended is read");

    auto file = fuzz::bytes_of(path);
    std::string const before = file;
    auto const whole = lines_of(before);
    fuzz::require(whole.size() == kept.size(), "a line for each entry");
    for (auto times = bytes.below(4); times != 0; --times) damage(file, bytes);
    fuzz::write(path, file);

    // Which of the lines that there were are still there, each as often as it is; a torn end that is a whole line, too.
    auto const ended = file.empty() || file.ends_with('\n') ? file : file + '\n';
    std::vector<entry> wanted;
    for (auto const line : lines_of(ended)) {
        auto const place = std::find(whole.begin(), whole.end(), line);
        if (place != whole.end()) wanted.push_back(kept[static_cast<std::size_t>(place - whole.begin())]);
    }
    condense::journal_folder const reopened{folder};
    auto found = read(reopened, id);
    fuzz::require(found == wanted, "whole lines are read in order, and nothing else");
    std::size_t damaged = 0;
    fuzz::require(
        !reopened.damage(id, [&](condense::journal_damage const& each) { damaged += each.bytes == 0 ? 0u : 1u; }),
        "damage is told");
    std::size_t lines = 0;
    for (auto const line : lines_of(ended)) lines += line.empty() ? 0u : 1u;
    fuzz::require(damaged + wanted.size() == lines, "each line is read or told of");

    wanted.push_back(append(reopened, id, {.number = 99, .content = chosen_content(bytes)}));
    fuzz::require(read(reopened, id) == wanted, "what is appended behind damage is read");
    fuzz::require(!reopened.flush(id), "it is flushed");
}
