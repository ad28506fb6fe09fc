// SPDX-License-Identifier: BSL-1.0

// What tests/power_loss.sh runs, with a folder on a file system that it mounts:
//   writer write KIND FOLDER FIRST   puts numbered contents until an error; prints each number that is acknowledged
//   writer check KIND FOLDER         reads these numbers and prints how many they are, how many of them are lost, how
//                                    much else is wrong, and the number to go on with
//   writer down MOUNT                the power fails: nothing more reaches the file system's device

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <condense/store/file.hpp>
#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

namespace {

struct verdict {
    std::size_t lost = 0;
    std::size_t wrong = 0;
    std::uint64_t next = 0;
};

std::string content_of(std::uint64_t number) {
    auto const size = number % 50 == 49 ? std::uint64_t{300'000} : number % 7 * 3'000;
    return std::to_string(number) + std::string(size, static_cast<char>('a' + number % 26));
}

/// Every other artifact has a source.
condense::artifact_source source_of(std::uint64_t number) {
    return {.conversation = "c", .tool = "read", .call = std::to_string(number), .type = "text", .time = 1};
}

condense::store_error put(condense::artifact_store auto const& store, std::uint64_t number) {
    auto const content = content_of(number);
    auto const name = store.name(content);
    return number % 2 == 0 ? store.put(name, content) : store.put(name, content, source_of(number));
}

condense::store_error append(condense::journal auto const& to, std::string_view conversation, std::uint64_t number) {
    auto const content = content_of(number);
    return to.append(conversation, {to.name(content), number, false}, content);
}

/// Often long enough for the power to fail while nothing follows that syncs as well.
void pause_after(std::uint64_t number) { ::usleep(static_cast<unsigned>(number % 4) * 2'000); }

constexpr std::uint64_t batch = 3;  ///< entries that a flush acknowledges

/// A new one now and then, so that files are created.
std::string conversation_of(std::uint64_t number) { return std::to_string(number / (10 * batch)); }

condense::store_error write(condense::artifact_store auto const& store, std::uint64_t number) {
    for (;; ++number) {
        if (auto const problem = put(store, number)) return problem;
        std::cout << number << std::endl;
        pause_after(number);
    }
}

condense::store_error write(condense::journal auto const& to, std::uint64_t number) {
    for (auto first = number;; ++number) {
        if (auto const problem = append(to, conversation_of(number), number)) return problem;
        if (number % batch != batch - 1) continue;
        if (auto const problem = to.flush(conversation_of(number))) return problem;
        for (; first <= number; ++first) std::cout << first << '\n';
        std::cout.flush();
        pause_after(number / batch);
    }
}

/// Each acknowledged artifact is there with its source, nothing else is but whole artifacts, and another can be put.
verdict check(condense::artifact_store auto const& store, std::set<std::uint64_t> const& acknowledged) {
    verdict result;
    for (auto const number : acknowledged) {
        auto const content = content_of(number);
        auto const name = condense::content_hash{}(content, 0);
        auto const source = store.source(name, "c");
        bool const whole = number % 2 == 0 || (source && *source == source_of(number));
        result.lost += store.get(name) != content || !whole;
        result.next = number + 1;
    }
    auto const problem = store.each(
        [&](condense::reference const& name, condense::bytes) { result.wrong += !store.get(name).has_value(); });
    result.wrong += problem || store.put(store.name("after"), "after");
    return result;
}

/// Each acknowledged entry is there, what is read is right and in order, and another can be appended.
verdict check(condense::journal auto const& from, std::set<std::uint64_t> const& acknowledged) {
    verdict result;
    std::set<std::uint64_t> seen;
    auto const end = acknowledged.empty() ? 0 : *acknowledged.rbegin() + 1;
    for (std::uint64_t first = 0; first <= end + batch; first += 10 * batch) {
        auto const conversation = conversation_of(first);
        auto const problem = from.read(conversation, [&](condense::journal_entry const& entry, std::string_view text) {
            bool const in_order = seen.empty() || *seen.rbegin() < entry.number;
            result.wrong +=
                !in_order || text != content_of(entry.number) || conversation != conversation_of(entry.number);
            seen.insert(entry.number);
        });
        result.wrong += static_cast<bool>(problem);
    }
    for (auto const number : acknowledged) result.lost += !seen.contains(number);
    result.next = seen.empty() || end > *seen.rbegin() ? end : *seen.rbegin() + 1;
    result.wrong += append(from, "after", result.next) || from.flush("after");
    return result;
}

int with_back_end(std::string_view kind, std::string const& folder, auto&& f) {
    if (kind == "artifact_folder") return f(condense::artifact_folder{folder + "/artifacts"});
    if (kind == "journal_folder") return f(condense::journal_folder{folder + "/sessions"});
    if (kind == "sqlite_store") return f(condense::sqlite_store{folder + "/artifacts.db"});
    if (kind == "sqlite_journal") return f(condense::sqlite_journal{folder + "/sessions.db"});
    return 2;
}

int go_down(char const* mount) {
    std::uint32_t without_log_flush = 2;
    auto const folder = ::open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && ::ioctl(folder, _IOR('X', 125, std::uint32_t), &without_log_flush) == 0) return 0;
    std::perror(mount);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    std::string_view const verb = count > 1 ? arguments[1] : "";
    if (verb == "down" && count == 3) return go_down(arguments[2]);
    if (verb == "write" && count == 5)
        return with_back_end(arguments[2], arguments[3], [&](auto const& back_end) {
            auto const problem = write(back_end, std::stoull(arguments[4]));
            std::cerr << std::string_view{problem.reason} << '\n';
            return 1;
        });
    if (verb == "check" && count == 4)
        return with_back_end(arguments[2], arguments[3], [](auto const& back_end) {
            std::set<std::uint64_t> acknowledged;
            for (std::uint64_t number = 0; std::cin >> number;) acknowledged.insert(number);
            auto const [lost, wrong, next] = check(back_end, acknowledged);
            std::cout << acknowledged.size() << ' ' << lost << ' ' << wrong << ' ' << next << '\n';
            return 0;
        });
    std::cerr << "writer write KIND FOLDER FIRST | writer check KIND FOLDER | writer down MOUNT\n";
    return 2;
}
