// SPDX-License-Identifier: BSL-1.0
// What does durable storage cost? Puts and appends of each back end beside a plain write and fsync, and beside a bare
// insert of SQLite, in the same run; many sessions on one store; search over many messages.
// bench_run_stores FOLDER [MESSAGES [SOCKET]]   FOLDER: on the disk in question; MESSAGES: to search, 1,000,000 unless
// given; SOCKET: of a Redis server whose data is on the same disk

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <condense/adapt/chat_message.hpp>
#include <condense/condense.hpp>
#include <condense/recovery/tools.hpp>
#include <condense/store/file.hpp>

#if __has_include(<condense/store/sqlite_store.hpp>) && __has_include(<sqlite3.h>)
#include <sqlite3.h>

#include <condense/store/sqlite_journal.hpp>
#include <condense/store/sqlite_store.hpp>

#if __has_include(<condense/store/redis_store.hpp>) && __has_include(<hiredis/hiredis.h>)
#include <condense/store/redis_store.hpp>
#define STORES_HAVE_REDIS 1
#else
#define STORES_HAVE_REDIS 0
#endif

namespace {

using namespace condense::literals;
using condense::chat_message;
using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::time_point since) {
    return std::chrono::duration<double, std::micro>(clock_type::now() - since).count();
}

/// Times of single calls, as the median and the 99th of a hundred.
struct latency {
    double median = 0;
    double late = 0;
};

/// Calls f(number) `count` times.
template <class Function>
latency measure(std::uint64_t count, Function&& f) {
    std::vector<double> times;
    for (std::uint64_t number = 0; number < count; ++number) {
        auto const start = clock_type::now();
        f(number);
        times.push_back(microseconds(start));
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

void check(bool holds, char const* what) {
    if (holds) return;
    std::fprintf(stderr, "stores: %s failed\n", what);
    std::exit(1);
}

std::string content_of(std::uint64_t number, std::size_t size) {
    auto content = std::to_string(number) + " ";
    content.resize(size, 'x');
    return content;
}

/// A file that is created, written and synced, without a temporary name, and without syncing the folder.
void write_plainly(std::string const& path, std::string const& content, int flags) {
    int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | flags, 0600);
    check(file >= 0 && ::write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
              ::fsync(file) == 0 && ::close(file) == 0,
          "write");
}

/// A table with a key and a value, in WAL mode and synced at each commit, as the library's own.
class bare_sqlite {
public:
    explicit bare_sqlite(std::string const& path) {
        check(::sqlite3_open(path.c_str(), &database_) == SQLITE_OK, "sqlite3_open");
        check(
            ::sqlite3_exec(database_,
                           "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE pair (key BLOB PRIMARY "
                           "KEY, value BLOB)",
                           nullptr, nullptr, nullptr) == SQLITE_OK,
            "create");
        check(::sqlite3_prepare_v2(database_, "INSERT INTO pair VALUES (?, ?)", -1, &insert_, nullptr) == SQLITE_OK,
              "prepare");
    }
    bare_sqlite(bare_sqlite const&) = delete;
    bare_sqlite& operator=(bare_sqlite const&) = delete;
    ~bare_sqlite() {
        ::sqlite3_finalize(insert_);
        ::sqlite3_close(database_);
    }
    void insert(std::uint64_t key, std::string const& value) const {
        ::sqlite3_bind_int64(insert_, 1, static_cast<sqlite3_int64>(key));
        ::sqlite3_bind_blob64(insert_, 2, value.data(), value.size(), SQLITE_STATIC);
        check(::sqlite3_step(insert_) == SQLITE_DONE, "insert");
        ::sqlite3_reset(insert_);
    }

private:
    ::sqlite3* database_ = nullptr;
    ::sqlite3_stmt* insert_ = nullptr;
};

void print(char const* name, std::size_t size, latency const& each, latency const& plain) {
    std::printf("| %-34s | %9zu | %9.0f | %9.0f | %5.2f |\n", name, size, each.median, each.late,
                each.median / plain.median);
}

void print_puts(std::string const& root, [[maybe_unused]] std::string const& socket) {
    std::puts(
        "| one put, durable                   |     bytes | median us |   99 % us | ratio "
        "|\n|---|---:|---:|---:|---:|");
    for (std::size_t const size : {std::size_t{1'000}, std::size_t{100'000}}) {
        auto const count = std::uint64_t{300};
        auto const in = root + "/" + std::to_string(size) + "-";
        std::filesystem::create_directory(in + "plain");
        auto const plain = measure(count, [&](std::uint64_t number) {
            write_plainly(in + "plain/" + std::to_string(number), content_of(number, size), O_EXCL);
        });
        print("write and fsync of a new file", size, plain, plain);
        bare_sqlite const bare{in + "bare.db"};
        print("bare SQLite insert", size,
              measure(count, [&](std::uint64_t number) { bare.insert(number, content_of(number, size)); }), plain);
        auto const puts = [&](char const* name, auto const& store) {
            auto const each = measure(count, [&](std::uint64_t number) {
                auto const content = content_of(number, size);
                check(!store.put(store.name(content), content), "put");
            });
            print(name, size, each, plain);
        };
        puts("artifact_folder", condense::artifact_folder{in + "folder"});
        puts("sqlite_store", condense::sqlite_store{in + "store.db"});
#if STORES_HAVE_REDIS
        if (!socket.empty()) puts("redis_store", condense::redis_store{{.socket = socket, .prefix = "bench:"}});
#endif
    }
}

void print_appends(std::string const& root) {
    std::puts(
        "\n| one append and flush               |     bytes | median us |   99 % us | ratio "
        "|\n|---|---:|---:|---:|---:|");
    std::size_t const size = 1'000;
    auto const plain = measure(
        500, [&](std::uint64_t number) { write_plainly(root + "/plain.log", content_of(number, size), O_APPEND); });
    print("write and fsync of a line", size, plain, plain);
    auto const appends = [&](char const* name, auto const& journal, std::uint64_t lines) {
        auto const each = measure(500, [&](std::uint64_t number) {
            for (std::uint64_t line = 0; line < lines; ++line) {
                auto const content = content_of(number * lines + line, size);
                check(!journal.append("c", {journal.name(content), number * lines + line}, content), "append");
            }
            check(!journal.flush("c"), "flush");
        });
        print(name, size * lines, each, plain);
    };
    appends("journal_folder", condense::journal_folder{root + "/journal"}, 1);
    appends("sqlite_journal", condense::sqlite_journal{root + "/journal.db"}, 1);
    appends("journal_folder, 20 lines a flush", condense::journal_folder{root + "/journal20"}, 20);
    appends("sqlite_journal, 20 lines a flush", condense::sqlite_journal{root + "/journal20.db"}, 20);
}

/// Eight threads with 25 sessions each, which record and store in the same places.
template <class Journal, class Store>
void print_sessions(char const* name, Journal const& journal, Store const& store) {
    constexpr int threads = 8, sessions = 25, turns = 10;
    std::atomic<int> stored = 0;
    auto const start = clock_type::now();
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread)
        running.emplace_back([&, thread] {
            for (int each = 0; each < sessions; ++each) {
                auto const id = std::to_string(thread * sessions + each);
                condense::pipeline const mix{condense::record{.to = journal},
                                             condense::offload{.over = 10'000_chars, .into = store}};
                condense::session session{std::vector<chat_message>{},
                                          mix,
                                          condense::budget{.window = 32'000_tokens},
                                          {},
                                          condense::run_options{.conversation = id}};
                session.push(chat_message::user("task " + id));
                for (int turn = 0; turn < turns; ++turn) {
                    auto const call = std::to_string(turn);
                    session.push(chat_message::call(call, "shell", "{}"));
                    session.push(chat_message::result(call, id + call + std::string(20'000, 'x')));
                }
                stored += static_cast<int>(session.statistics().layers[1].artifacts);
            }
        });
    for (auto& each : running) each.join();
    auto const seconds = microseconds(start) / 1e6;
    check(stored == threads * sessions * turns, "storing all results");
    std::printf("| %-34s | %8.1f | %10.0f |\n", name, seconds, threads * sessions * (2 * turns + 1) / seconds);
}

void print_search(std::string const& root, std::uint64_t messages) {
    condense::sqlite_journal const journal{root + "/search.db"};
    auto const fill = clock_type::now();
    for (std::uint64_t number = 0; number < messages; ++number) {
        auto content = "message " + std::to_string(number) + " says that order W" + std::to_string(number * 7) +
                       " of depot " + std::to_string(number % 97) + " is late";
        if (number == messages / 3) content += " because of the albatross";
        check(!journal.append("big", {journal.name(content), number}, content), "append");
    }
    check(!journal.flush("big"), "flush");
    std::printf(
        "\n%llu messages appended in %.1f s. One search by the recovery tools:\n\n"
        "| query                              | median ms | 99 %% ms |\n|---|---:|---:|\n",
        static_cast<unsigned long long>(messages), microseconds(fill) / 1e6);
    condense::recovery_tools const tools{condense::no_store{}, journal, {.conversation = "big"}};
    auto const search = [&](std::string const& words, std::string_view expected) {
        auto const arguments = R"({"query":")" + words + "\"}";
        auto const each = measure(20, [&](std::uint64_t) {
            check(tools.call("search_history", arguments).text.find(expected) != std::string::npos, words.c_str());
        });
        std::printf("| %-34s | %9.1f | %7.1f |\n", words.c_str(), each.median / 1e3, each.late / 1e3);
    };
    search("albatross", "albatross");
    auto const order = "W" + std::to_string(messages / 10 * 7);
    search(order, order);
    search("order of depot 13", "depot 13");
}

}  // namespace

int main(int count, char** given) {
    if (count < 2) return std::fputs("bench_run_stores FOLDER [MESSAGES]\n", stderr), 2;
    auto const root = (std::filesystem::path{given[1]} / "condense-stores").string();
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root);
    print_puts(root, count > 3 ? given[3] : "");
    print_appends(root);
    std::puts("\n| 200 sessions, 8 threads            |  seconds | messages/s |\n|---|---:|---:|");
    print_sessions("folders", condense::journal_folder{root + "/sessions"},
                   condense::artifact_folder{root + "/results"});
    print_sessions("databases", condense::sqlite_journal{root + "/sessions.db"},
                   condense::sqlite_store{root + "/results.db"});
    print_search(root, count > 2 ? std::strtoull(given[2], nullptr, 10) : 1'000'000);
    std::filesystem::remove_all(root);
}

#else
int main() { std::puts("stores: SQLite is missing here"); }
#endif
