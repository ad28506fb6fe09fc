// SPDX-License-Identifier: BSL-1.0
#include <condense/store/redis_connection.hpp>

#include <stdexcept>

#include "store/kit.hpp"
#include "store/redis_server.hpp"

namespace {

using namespace std::chrono_literals;
using condense::redis_options, condense::store_error;
using condense::detail::redis::command, condense::detail::redis::connection, condense::detail::redis::pool;
using redis_tests::peer, redis_tests::replies, redis_tests::server;
using store_tests::reason;

/// The reply to one command, or the error.
std::string ask(pool& from, command const& words) {
    std::string reply;
    auto const problem = from.use([&](connection& line) -> store_error {
        auto const answers = line.ask({words});
        reply = answers[0].text();
        if (reply.empty()) reply = std::to_string(answers[0].number());
        return {};
    });
    return problem ? reason(problem) : reply;
}

/// By a pool of its own.
std::string ask(redis_options const& options, command const& words = {"PING"}) {
    pool of{options};
    return ask(of, words);
}

redis_options impatient(redis_options options, std::chrono::milliseconds reply_timeout = {}) {
    options.patience = 1ms;
    if (reply_timeout.count() != 0) options.reply_timeout = reply_timeout;
    return options;
}

std::vector<int> sockets() {
    std::vector<int> numbers;
    for (auto const& name : scratch::names_in("/proc/self/fd")) {
        std::error_code ignored;
        if (std::filesystem::read_symlink("/proc/self/fd/" + name, ignored).string().starts_with("socket:"))
            numbers.push_back(std::stoi(name));
    }
    return numbers;
}

}  // namespace

TEST_CASE("redis_connection: a prefix that is no plain text is refused, and a path that would be cut") {
    for (std::string const& prefix :
         {std::string{}, std::string{"a*"}, std::string{"a?b"}, std::string{"[a]"}, std::string{"a b"},
          std::string{"a\r\nFLUSHALL\r\n"}, std::string("a\0", 2), std::string{"\\"}, std::string{"{a}"},
          std::string{"\xC3\xA4"}, std::string(65, 'a')})
        CHECK(ask({.prefix = prefix}) == "Redis: the prefix must be 1 to 64 letters, digits, or any of ._:-");
    CHECK(ask({.socket = std::string(108, 'a')}) == "Redis: the socket's path is too long");
}

TEST_CASE("redis_connection: where there is no server, that is the error") {
    scratch::folder const root;
    CHECK(ask(impatient({.socket = root / "none"})) == "Redis: No such file or directory");
    CHECK(ask(impatient({.port = 1})) == "Redis: Connection refused");
}

TEST_CASE("redis_connection: the server's words are cut, and cannot control a terminal") {
    peer const hostile{
        replies({"-ERR \x1B[31m \x01\x7F \xC2\x9B"
                 "31m \xE2\x80\xAE \xFF " +
                 std::string(1'000'000, 'x') + "\r\n"})};
    auto const error = ask(hostile.options());
    CHECK(error.starts_with("Redis: ERR  [31m     31m   \xEF\xBF\xBD xxx"));
    CHECK(error.size() <= 96);
}

TEST_CASE("redis_connection: replies are bounded in size and in time") {
    SECTION("a large one") {
        peer const hostile{replies({"$500000000\r\n" + std::string(20'000'000, 'x')})};
        CHECK(ask(hostile.options()) == "Redis: a reply larger than 16 MiB");
        CHECK(hostile.connections == 1);
    }
    SECTION("one of many parts") {
        std::string many = "*100000\r\n";
        while (many.size() < 20'000'000) many += "$100\r\n" + std::string(100, 'x') + "\r\n";
        peer const hostile{replies({many.substr(0, 9) + many})};
        CHECK(ask(hostile.options()) == "Redis: a reply larger than 16 MiB");
    }
    SECTION("none") {
        peer const silent{[](auto const& client) {
            while (!client.read().empty()) {}
        }};
        CHECK(ask(impatient(silent.options(), 20ms)) == "Redis: no reply in time");
    }
    SECTION("one that comes byte by byte") {
        peer const slow{[](auto const& client) {
            static_cast<void>(client.read());
            client.write("$1000000\r\n");
            while (client.write("x")) std::this_thread::sleep_for(1ms);
        }};
        CHECK(ask(impatient(slow.options(), 20ms)) == "Redis: no reply in time");
    }
    SECTION("one that is none") {
        peer const other{replies({"HTTP/1.1 400 Bad Request\r\n\r\n"})};
        CHECK(ask(impatient(other.options())).starts_with("Redis: Protocol error"));
    }
    SECTION("a request that nobody reads") {
        peer const deaf{[](auto const& client) {
            ::pollfd until{client.number(), POLLRDHUP, 0};
            ::poll(&until, 1, -1);
        }};
        CHECK(ask(impatient(deaf.options(), 10ms), {"ECHO", std::string(3'000'000, 'x')}) == "Redis: no reply in time");
    }
}

TEST_CASE("redis_connection: what may pass is tried again as long as patience lasts") {
    std::string const loading = "-LOADING Redis is loading the dataset in memory\r\n";
    SECTION("a server that loads, or closes the connection") {
        peer const busy{replies({loading, loading, "", "+OK\r\n"})};
        CHECK(ask(busy.options()) == "OK");
        CHECK(busy.connections == 2);
    }
    SECTION("too long") {
        peer const busy{replies({loading})};
        CHECK(ask(impatient(busy.options())) == "Redis: LOADING Redis is loading the dataset in memory");
    }
    SECTION("not an error that stays") {
        peer const full{replies({"-OOM command not allowed\r\n", "+OK\r\n"})};
        pool of{full.options()};
        CHECK(ask(of, {"PING"}) == "Redis: OOM command not allowed");
        CHECK(ask(of, {"PING"}) == "OK");
        CHECK(full.connections == 1);
    }
    SECTION("a server that is a primary no more is left") {
        peer const replica{replies({"-READONLY You can't write against a read only replica.\r\n", "+OK\r\n"})};
        pool of{replica.options()};
        CHECK(ask(of, {"PING"}).starts_with("Redis: READONLY"));
        CHECK(ask(of, {"PING"}) == "OK");
        CHECK(replica.connections == 2);
    }
}

TEST_CASE("redis_connection: with a server") {
    server const real;
    SECTION("says who it is, and which database, before anything else") {
        CHECK(real.ask({"ACL", "SETUSER", "agent", "on", ">other", "~*", "+@all"}) == "OK");
        CHECK(real.ask({"CONFIG", "SET", "requirepass", "secret"}) == "OK");
        auto const with = [&](redis_options options) {
            options.socket = real.options().socket;
            return options;
        };
        CHECK(ask(real.options()) == "Redis: NOAUTH Authentication required.");
        pool wrong{with({.password = "wrong"})};
        CHECK(ask(wrong, {"PING"}).starts_with("Redis: WRONGPASS"));
        CHECK(ask(wrong, {"PING"}).starts_with("Redis: WRONGPASS"));
        CHECK(ask(with({.password = "secret"}), {"SET", "key", "0"}) == "OK");
        pool agent{with({.user = "agent", .password = "other", .database = 3})};
        CHECK(ask(agent, {"ACL", "WHOAMI"}) == "agent");
        CHECK(ask(agent, {"EXISTS", "key"}) == "0");
        pool far{with({.password = "secret", .database = 99})};
        CHECK(ask(far, {"EXISTS", "key"}) == "Redis: ERR DB index is out of range");
        CHECK(ask(far, {"EXISTS", "key"}) == "Redis: ERR DB index is out of range");
    }
    SECTION("words are any bytes, of any size") {
        pool of{real.options()};
        for (std::size_t const size : {0u, 1u, 65'536u, 65'537u, 3'000'000u}) {
            std::string word(size, '\0');
            for (std::size_t place = 0; place < size; ++place) word[place] = static_cast<char>(place * 7 + place / 256);
            CHECK((ask(of, {"SET", word, word}) == "OK"));
            CHECK(ask(of, {"STRLEN", word}) == std::to_string(size));
        }
        CHECK((ask(of, {"ECHO", "\r\nFLUSHALL\r\n"}) == "\r\nFLUSHALL\r\n"));
        CHECK(ask(of, {"DBSIZE"}) == "5");
    }
    SECTION("threads share at most as many connections as they may") {
        auto options = real.options();
        options.most_connections = 2;
        pool of{options};
        std::atomic<int> failures = 0;
        std::vector<std::thread> threads;
        for (int thread = 0; thread < 8; ++thread)
            threads.emplace_back([&] {
                for (int entry = 0; entry < 50; ++entry) failures += ask(of, {"INCR", "count"}).empty() ? 1 : 0;
            });
        for (auto& thread : threads) thread.join();
        CHECK(failures == 0);
        CHECK(ask(of, {"GET", "count"}) == "400");
        auto const list = real.ask({"CLIENT", "LIST"});
        CHECK(std::count(list.begin(), list.end(), '\n') <= 3);  // this question's own, too

        auto few = impatient(real.options());
        few.most_connections = 1;
        pool one{few};
        CHECK_FALSE(one.use([&](connection&) -> store_error {
            CHECK(ask(one, {"PING"}) == "Redis: all connections are in use");
            return {};
        }));
        CHECK_THROWS_AS(one.use([](connection& line) -> store_error {
            line.ask({{"PING"}});
            throw std::runtime_error{"of a caller"};
        }),
                        std::runtime_error);
        CHECK(ask(one, {"PING"}) == "PONG");
    }
    SECTION("a child of the process connects for itself, a program it runs has no connection") {
        auto const before = sockets();
        pool of{real.options()};
        auto const id = ask(of, {"CLIENT", "ID"});
        for (auto const number : sockets())
            if (std::find(before.begin(), before.end(), number) == before.end())
                CHECK((::fcntl(number, F_GETFD) & FD_CLOEXEC) != 0);
        auto const said = processes::child{[&](auto const& say) {
                              auto const own = ask(of, {"CLIENT", "ID"});
                              say(std::stoull(own));
                              say(ask(of, {"CLIENT", "ID"}) == own ? 1u : 0u);
                          }}.join();
        REQUIRE(said.size() == 2);
        CHECK(said[0] > std::stoull(id));
        CHECK(said[1] == 1);
        CHECK(ask(of, {"CLIENT", "ID"}) == id);
    }
}

TEST_CASE("redis_connection: a server that starts again is found again") {
    server real;
    pool of{real.options()};
    CHECK(ask(of, {"SET", "key", "value"}) == "OK");
    real.kill();
    std::string value;
    std::thread reader{[&] { value = ask(of, {"GET", "key"}); }};
    std::this_thread::sleep_for(50ms);
    real.start();
    reader.join();
    CHECK(value == "value");
}
