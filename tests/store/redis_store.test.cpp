// SPDX-License-Identifier: BSL-1.0
#include <condense/store/redis_store.hpp>

#include <random>
#include <stdexcept>

#include "store/redis_server.hpp"
#include "store/scenario.hpp"

namespace {

using namespace std::chrono_literals;
using namespace store_tests;
using condense::artifact_source, condense::content_hash, condense::redis_options, condense::redis_store;
using condense::reference, condense::store_error;
using condense::detail::redis::command, condense::detail::redis::connection, condense::detail::redis::pool;
using redis_tests::peer, redis_tests::replies, redis_tests::server;

std::string key_of(char kind, reference const& name) { return "condense:" + std::string{kind} + ":" + name.text(); }

struct server_place {
    server real;
    auto open(auto... hash) const { return condense::basic_redis_store{real.options(), hash...}; }
    void change(reference const& name, std::string_view text) const {
        CHECK(real.ask({"SET", key_of('a', name), text}) == "OK");
    }
};

/// A server and a store on it.
struct served {
    server real;
    redis_store const store{real.options()};
};

constexpr condense::testing::law_hash colliding_hash{2};

/// How many artifacts are listed, and how many sources.
std::pair<std::size_t, std::size_t> counts_of(redis_store const& store) {
    std::pair<std::size_t, std::size_t> counts;
    CHECK_FALSE(store.each([&](auto&&...) { ++counts.first; }));
    CHECK_FALSE(store.each_source([&](auto&&...) { ++counts.second; }));
    return counts;
}
using counts = std::pair<std::size_t, std::size_t>;

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

TEST_CASE("redis_store: is a durable store") { check_durable_store<server_place>(); }

TEST_CASE("redis_store: artifacts on a server") {
    auto const& [real, store] = served{};
    SECTION("reads and compares large contents piece by piece") {
        condense::basic_redis_store const colliding{real.options(), colliding_hash};
        constexpr std::size_t piece = std::size_t{1} << 20;
        for (std::size_t const size : {piece - 1, piece, piece + 1, 3 * piece}) {
            std::string content(size, '\0');
            for (std::size_t place = 0; place < size; ++place)
                content[place] = static_cast<char>(place * 7 + place / 256);
            auto const name = store.name(content);
            CHECK_FALSE(store.put(name, content));
            CHECK_FALSE(store.put(name, content));
            CHECK((store.get(name) == content));
            CHECK(store.name(content) == name);

            auto const one = colliding_hash("", 0);
            CHECK_FALSE(colliding.put(one, content));
            auto other = content;
            other.back() = '!';
            for (auto const& differing :
                 {other, content + "!", content.substr(0, size - 1), content.substr(0, piece - 2)})
                CHECK(reason(colliding.put(one, differing)) == other_content);
            CHECK_FALSE(colliding.put(one, content));
            CHECK_FALSE(colliding.erase(one));
        }
    }
    SECTION("what has another name is refused, and one source is not taken for another") {
        CHECK(reason(store.put(content_hash{}("a", 0), "b")) == "content does not match its hash");
        condense::basic_redis_store const colliding{real.options(), colliding_hash};
        auto const name = colliding.name("text");
        CHECK_FALSE(colliding.put(name, "text", {.conversation = "a"}));
        CHECK(colliding.source(name, "a"));
        CHECK_FALSE(colliding.source(name, "b"));
    }
    SECTION("what is too large is refused before it is looked at") {
        CHECK(reason(store.put({}, zeros{redis_store::most_bytes + 1}.text())) == "larger than 512 MiB");
        auto const name = store.name("text");
        CHECK(reason(store.put(name, "text", {.conversation = std::string(2'000'000, 'i')})) ==
              "a source larger than 1 MiB");
        CHECK(real.ask({"DBSIZE"}) == "0");
    }
    SECTION("what is no text is an error") {
        auto const name = store.name("two");
        CHECK(real.ask({"LPUSH", key_of('a', name), "two"}) == "1");
        CHECK(reason(store.put(name, "two")).starts_with("Redis: WRONGTYPE"));
        CHECK_FALSE(store.get(name));
        CHECK(reason(store.each([](auto&&...) {})).starts_with("Redis: WRONGTYPE"));
    }
    SECTION("keys are the prefix and a hash, whatever the bytes of names and contents") {
        auto hostile = condense::testing::hostile_contents(65'536);
        for (auto const* const text :
             {"*", "condense:*", "[^a]?\\", "../../etc/passwd", "\r\nFLUSHALL\r\n", "*1\r\n$8\r\nFLUSHALL\r\n",
              "$-1\r\n", "'; DROP TABLE a; --", "%s%n%b", "\x1B[2J", "{a}b"})
            hostile.emplace_back(text);
        auto const own = hostile.size();
        std::mt19937 random{20};
        while (hostile.size() < 500) {
            auto text = hostile[random() % own];
            for (auto more = random() % 40 + 8; more != 0; --more) text.push_back(static_cast<char>(random()));
            hostile.push_back(text + hostile[random() % own]);
        }
        for (auto const& text : hostile) {
            artifact_source const source{.conversation = text, .tool = text, .call = text, .type = text, .time = 1};
            auto const name = store.name(text);
            CHECK_FALSE(store.put(name, text, source));
            CHECK((store.get(name) == text));
            CHECK((store.source(name, text) == source));
            CHECK(reference::of(real.ask({"HKEYS", key_of('s', name)})));
        }
        std::size_t count = 0;
        CHECK_FALSE(store.each_source([&](reference const& name, condense::bytes, artifact_source const& source) {
            ++count;
            CHECK((store.get(name) == source.conversation));
        }));
        CHECK(count == 500);
        auto keys = real.ask({"KEYS", "*"}) + "\n";
        CHECK(keys.size() == 1'000 * (key_of('a', {}).size() + 1));
        for (std::size_t begin = 0; begin < keys.size(); begin = keys.find('\n', begin) + 1) {
            auto const key = keys.substr(begin, keys.find('\n', begin) - begin);
            auto const name = reference::of(key.substr(std::min<std::size_t>(key.size(), 11)));
            REQUIRE(name);
            CHECK((key == key_of('a', *name) || key == key_of('s', *name)));
        }
    }
    SECTION("lists more than a page, each artifact and each source once") {
        std::size_t const most = 2'500;
        for (std::size_t entry = 0; entry < most; ++entry)
            CHECK_FALSE(store.put(store.name(std::to_string(entry)), std::to_string(entry)));
        for (std::size_t entry = 0; entry < 600; ++entry)
            CHECK_FALSE(store.put(store.name("0"), "0", {.conversation = std::to_string(entry)}));
        std::map<reference, std::size_t> seen;
        CHECK_FALSE(store.each([&](reference const& name, condense::bytes) { ++seen[name]; }));
        CHECK(seen.size() == most);
        for (auto const& [name, count] : seen) CHECK(count == 1);
        std::map<std::string, std::size_t> conversations;
        CHECK_FALSE(store.each_source(
            [&](auto&&, auto&&, artifact_source const& source) { ++conversations[source.conversation]; }));
        CHECK(conversations.size() == 600);
        for (auto const& [conversation, count] : conversations) CHECK(count == 1);
    }
    SECTION("a server without memory is an error, and goes on when it has some") {
        CHECK_FALSE(store.put(store.name("before"), "before"));
        CHECK(real.ask({"CONFIG", "SET", "maxmemory", "1mb"}) == "OK");
        std::string const large(2'000'000, 'x');
        CHECK(reason(store.put(store.name(large), large)) ==
              "Redis: OOM command not allowed when used memory > 'maxmemory'.");
        CHECK_FALSE(store.get(content_hash{}(large, 0)));
        CHECK(store.get(store.name("before")) == "before");
        CHECK(real.ask({"CONFIG", "SET", "maxmemory", "0"}) == "OK");
        CHECK_FALSE(store.put(store.name(large), large));
        CHECK((store.get(store.name(large)) == large));
    }
    SECTION("says which of the server's settings do not keep what is put") {
        CHECK_FALSE(store.check_durable());
        CHECK(real.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"}) == "OK");
        CHECK(reason(store.check_durable()).starts_with("Redis: maxmemory-policy is not noeviction"));
        CHECK(real.ask({"CONFIG", "SET", "appendfsync", "everysec"}) == "OK");
        CHECK(reason(store.check_durable()) == "Redis: appendfsync is not always: the last second may be lost");
        CHECK(real.ask({"CONFIG", "SET", "appendonly", "no"}) == "OK");
        CHECK(reason(store.check_durable()).starts_with("Redis: appendonly is not yes"));
    }
}

TEST_CASE("redis_store: several clients of a server") {
    server const real;
    SECTION("prefixes keep tenants apart") {
        auto options = real.options();
        redis_store const one{options};
        options.prefix = "condense:a:";
        redis_store const two{options};
        CHECK_FALSE(one.put(one.name("mine"), "mine", {.conversation = "a"}));
        CHECK_FALSE(two.put(two.name("theirs"), "theirs", {.conversation = "a"}));
        CHECK(real.ask({"SET", "condense:a:" + std::string(24, 'x'), "of another program"}) == "OK");
        CHECK_FALSE(two.get(one.name("mine")));
        for (auto const& store : {one, two}) CHECK(counts_of(store) == counts{1, 1});
    }
    SECTION("a reply that is lost is no error, and what was put is there once") {
        for (int number = 0;; ++number) {
            peer const proxy{redis_tests::loses(real.options().socket, number)};
            auto const content = "content " + std::to_string(number);
            {
                redis_store const store{proxy.options()};
                CHECK_FALSE(store.put(content_hash{}(content, 0), content, {.conversation = "a", .tool = content}));
                CHECK(store.get(content_hash{}(content, 0)) == content);
                CHECK_FALSE(store.erase(store.name("no content")));
            }
            redis_store const direct{real.options()};
            std::size_t count = 0;
            CHECK_FALSE(direct.each_source([&](auto&&, auto&&, artifact_source const& source) {
                if (source.tool == content) ++count;
            }));
            CHECK(count == 1);
            if (proxy.connections == 1) {
                CHECK(number > 4);
                break;
            }
            CHECK(proxy.connections == 2);
        }
    }
    SECTION("what is erased while it is put again is put once more") {
        auto const name = content_hash{}("text", 0);
        for (auto const* const step : {"GETRANGE", "HSETNX"}) {
            CHECK_FALSE(redis_store{real.options()}.put(name, "text"));
            std::atomic<bool> first = true;
            peer const proxy{redis_tests::relay(
                real.options().socket,
                [&](std::string_view request) {
                    if (request.find(step) != std::string_view::npos && first.exchange(false))
                        real.ask({"UNLINK", key_of('a', name), key_of('s', name)});
                    // Of somebody whose content has the same name.
                    else if (request.find("HSETNX") != std::string_view::npos)
                        real.ask({"SET", key_of('a', name), "else", "NX"});
                    return true;
                },
                [](auto) { return true; })};
            redis_store const store{proxy.options()};
            auto const problem = store.put(name, "text", {.conversation = "a"});
            CHECK_FALSE(problem);
            CHECK_FALSE(first);
            CHECK(store.get(name) == "text");
            CHECK(store.source(name, "a"));
        }
    }
    SECTION("where replies stay away, that is an error, and nothing is lost by it") {
        peer const proxy{[&](auto const& client) { redis_tests::loses(real.options().socket, 0)(client); }};
        auto options = proxy.options();
        options.patience = 500ms;  // more than two attempts, also on a busy machine
        redis_store const store{options};
        auto const name = content_hash{}("text", 0);
        CHECK(reason(store.put(name, "text")) == "Redis: the server closed the connection");
        CHECK(proxy.connections > 1);
        CHECK_FALSE(store.get(name));
        CHECK(redis_store{real.options()}.get(name) == "text");
    }
    SECTION("artifacts expire after their latest put, with their sources") {
        auto options = real.options();
        options.expiry = 100s;
        redis_store const store{options};
        auto const name = store.name("text");
        auto const left = [&](char kind) { return std::stoi(real.ask({"PTTL", key_of(kind, name)})); };
        artifact_source const source{.conversation = "a"};
        CHECK_FALSE(store.put(name, "text", source));
        CHECK(left('a') > 90'000);
        CHECK(left('s') > 90'000);
        for (auto const kind : {'a', 's'}) CHECK(real.ask({"PEXPIRE", key_of(kind, name), "50000"}) == "1");
        CHECK_FALSE(store.put(name, "text"));
        CHECK(left('a') > 90'000);
        CHECK(left('s') > 90'000);

        CHECK(real.ask({"PEXPIRE", key_of('a', name), "1"}) == "1");
        std::this_thread::sleep_for(20ms);
        CHECK_FALSE(store.get(name));
        CHECK_FALSE(store.source(name, "a"));
        CHECK(counts_of(store) == counts{0, 0});
        CHECK_FALSE(store.put(name, "text", source));
        CHECK(store.source(name, "a"));

        // Content put to be kept is kept, whatever another handle has said.
        redis_store const forever{real.options()};
        CHECK_FALSE(forever.put(name, "text"));
        for (auto const kind : {'a', 's'}) CHECK(real.ask({"PERSIST", key_of(kind, name)}) == "0");
    }
}

TEST_CASE("redis_store: a server that says more than can be is not believed") {
    peer const real{redis_tests::replies_to(
        {{"GETRANGE", "$4\r\ntext\r\n"}, {"STRLEN", ":9000000000000000000\r\n"}, {"EXISTS", ":1\r\n"}})};
    redis_store const store{real.options()};
    auto const name = content_hash{}("text", 0);
    CHECK_FALSE(store.get(name));
    CHECK(store.name("text") != name);
}

TEST_CASE("redis_store: what a walk comes to twice is listed once, what is no key of its own is not") {
    auto const text = [](std::string const& word) {
        return "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    };
    auto const page = [&](std::string const& cursor, std::vector<std::string> const& words) {
        auto all = "*2\r\n" + text(cursor) + "*" + std::to_string(words.size()) + "\r\n";
        for (auto const& word : words) all += text(word);
        return all;
    };
    auto const key = key_of('a', content_hash{}("text", 0));
    auto const field = content_hash{}("a", 0).text();
    auto const source = condense::detail::write_source({.conversation = "a", .time = 1});
    peer const real{redis_tests::replies_to(
        {{"SCAN", page("0", {key, "", "condense:a:", key_of('a', content_hash{}("else", 0)) + "0", key,
                             "condense:a:" + std::string(24, 'x')})},
         {"HSCAN", page("0", {field, source, std::string(24, '0'), source, field, source, field})},
         {"STRLEN", ":4\r\n"},
         {"EXISTS", ":1\r\n"}})};
    CHECK(counts_of(redis_store{real.options()}) == counts{1, 1});
}

TEST_CASE("redis_store: a server that is killed loses nothing it has acknowledged") {
    std::optional<server> real;
    std::vector<std::uint64_t> acknowledged;
    std::size_t count = 0;
    auto const most = std::min<std::uint64_t>(kills(), 1'000);  // each starts a server
    for (unsigned round = 0; round < most; ++round) {
        if (round % 10 == 0) {  // a server reads all it has when it starts
            acknowledged.clear();
            real.emplace();
        }
        auto options = real->options();
        options.patience = 1ms;
        auto const next = acknowledged.empty() ? 0 : acknowledged.back() + 1;
        processes::child writer{[&](auto const& say) { put_numbered(redis_store{options}, next, 20'000, say); }};
        writer.let_run(300 + round % 40 * 137, 2);
        real->kill();
        for (auto const word : writer.join())
            if (word % 2 == 1) acknowledged.push_back(word / 2), ++count;
        real->start();
        if (round % 10 == 9 || round + 1 == most) check_numbered(redis_store{real->options()}, acknowledged, 20'000);
    }
    CHECK(count >= most / 2);
}

TEST_CASE("redis_store: what is erased and put between two questions is not taken for other content") {
    peer const real{redis_tests::replies_to(
        {{"SET", "$-1\r\n"}, {"GETRANGE", "$0\r\n\r\n"}, {"STRLEN", ":4\r\n"}, {"EXISTS", ":1\r\n"}})};
    CHECK(redis_store{real.options()}.put(content_hash{}("text", 0), "text").reason == "erased while it was put");
}

TEST_CASE("redis_store: what is put between two questions is not taken for empty content") {
    auto const name = content_hash{}("text", 0);
    auto const page = "*2\r\n$1\r\n0\r\n*1\r\n$35\r\n" + key_of('a', name) + "\r\n";
    // Another client puts it behind the first question for its size.
    auto const late = [&] {
        return redis_tests::replies_by([page, there = false](std::string_view command) mutable {
            auto const asks = [&](char const* word) { return redis_tests::has_word(command, word); };
            bool const before = there;
            there = there || asks("STRLEN");
            if (asks("SCAN")) return page;
            if (asks("GETRANGE")) return std::string{before ? "$4\r\ntext\r\n" : "$0\r\n\r\n"};
            return ":" + std::to_string(!before ? 0 : asks("STRLEN") ? 4 : 1) + "\r\n";
        });
    };
    peer const first{late()};
    CHECK(redis_store{first.options()}.name("text") == name);
    peer const second{late()};
    std::vector<std::uint64_t> sizes;
    redis_store const store{second.options()};
    for (int walk = 0; walk < 2; ++walk)
        CHECK_FALSE(store.each([&](auto&&, condense::bytes size) { sizes.push_back(size.count); }));
    CHECK(sizes == std::vector<std::uint64_t>{4});
}

TEST_CASE("redis_connection: a prefix that is no plain text is refused, and a path that would be cut") {
    for (auto const& prefix : std::vector<std::string>{"",
                                                       "a*",
                                                       "a?b",
                                                       "[a]",
                                                       "a b",
                                                       "a\r\nFLUSHALL\r\n",
                                                       {"a\0", 2},
                                                       "\\",
                                                       "{a}",
                                                       "\xC3\xA4",
                                                       std::string(65, 'a')})
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
