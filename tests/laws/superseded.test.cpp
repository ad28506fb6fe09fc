// SPDX-License-Identifier: BSL-1.0
#include <condense/detail/json_quote.hpp>
#include <condense/presets.hpp>

#include <random>

#include "layer/shared.hpp"
#include "support/effort.hpp"

// No summary quotes a line of something that a later call has changed, once that call has left, too.

namespace {

using namespace layers;

/// A line that stood in a result, and the word by which the result of the call that changed it is known.
struct stale_line {
    std::string text;
    std::string changed_by;
};

/// Orders that are changed and cancelled, and files that are edited in each way to edit one, five times and more, with
/// other work between.
class work {
public:
    explicit work(std::uint32_t seed) : random_{seed} {
        add(U("the task"));
        for (std::size_t order = 0; order < 4; ++order) orders_.push_back(line_of_order(order, "pending"));
        for (std::size_t file = 0; file < 3; ++file)
            files_.push_back({line_of(file, 0), line_of(file, 1), line_of(file, 2)});
    }
    void next() {
        auto const kind = below(10);
        if (kind < 2) return look_at_order(below(orders_.size()));
        if (kind == 2) return change_order(below(orders_.size()));
        if (kind < 5) return read_file(below(files_.size()));
        if (kind < 8) return edit_file(below(files_.size()));
        answer("search", R"({"query": "other things"})",
               "src/other" + std::to_string(turn_) + ".cpp:12: void look_for_" + std::to_string(turn_) + "();\n" +
                   std::string(below(600), '.'));
        if (kind == 9) add(U("and now " + std::to_string(turn_) + " go on with it"));
    }

    conversation messages;
    std::vector<stale_line> stale;

private:
    std::size_t below(std::size_t end) { return random_() % end; }
    void add(condense::chat_message const& m) { messages.push_back(m); }
    std::string answer(std::string const& tool, std::string const& arguments, std::string const& result) {
        auto const id = std::to_string(++turn_);
        auto const mark = "mark_" + id + "_";
        add(C(id, tool, arguments));
        add(R(id, result + "\n" + mark));
        return mark;
    }
    static std::string name_of(std::size_t order) { return "W" + std::to_string(7'000 + order); }
    std::string line_of_order(std::size_t order, std::string const& status) {
        return "{\"order_id\": \"" + name_of(order) + "\", \"status\": \"" + status +
               "\", \"total\": " + std::to_string(random_() % 900 + 100) + "}";
    }
    void look_at_order(std::size_t order) {
        answer("get_order", "{\"order_id\": \"" + name_of(order) + "\"}", orders_[order]);
    }
    void change_order(std::size_t order) {
        auto now = line_of_order(order, below(2) == 0 ? "cancelled" : "updated " + std::to_string(turn_));
        auto const mark =
            answer(below(2) == 0 ? "cancel_order" : "update_order", "{\"order_id\": \"" + name_of(order) + "\"}", now);
        stale.push_back({std::exchange(orders_[order], now), mark});
    }
    static std::string path_of(std::size_t file) { return "src/file_" + std::to_string(file) + ".py"; }
    std::string line_of(std::size_t file, std::size_t line) {
        return "setting_" + std::to_string(file) + "_" + std::to_string(line) + " = value_" +
               std::to_string(random_() % 100'000);
    }
    std::string text_of_file(std::size_t file) const {
        std::string out;
        for (auto const& line : files_[file]) out += line + "\n";
        return out;
    }
    void read_file(std::size_t file) {
        if (below(3) == 0) answer("bash", "{\"command\": \"cd /w && cat " + path_of(file) + "\"}", text_of_file(file));
        else
            answer("read_file", "{\"path\": \"" + std::string{below(2) == 0 ? "/w/" : ""} + path_of(file) + "\"}",
                   text_of_file(file));
    }
    void edit_file(std::size_t file) {
        auto const line = below(3);
        auto const old = files_[file][line];
        auto const now = line_of(file, line);
        files_[file][line] = now;
        std::string tool = "bash", command;
        switch (below(5)) {
            case 0:
                tool = "edit";
                // Of the line without its first letters, which are the same.
                command = "{\"path\": \"" + path_of(file) + "\", \"old_string\": \"" + old.substr(3) +
                          "\", \"new_string\": \"" + now.substr(3) + "\"}";
                break;
            case 1:
                tool = "write_file";
                command = "{\"path\": \"" + path_of(file) + "\", \"content\": " + quoted(text_of_file(file)) + "}";
                break;
            case 2:
                tool = "apply_patch";
                command = "{\"input\": " +
                          quoted("*** Begin Patch\n*** Update File: " + path_of(file) + "\n-" + old + "\n+" + now +
                                 "\n*** End Patch") +
                          "}";
                break;
            case 3:
                command = "{\"command\": " +
                          quoted("cat > " + path_of(file) + " <<'EOF'\n" + text_of_file(file) + "EOF\npython run.py") +
                          "}";
                break;
            default: command = "{\"command\": " + quoted("sed -i 's/" + old + "/" + now + "/' " + path_of(file)) + "}";
        }
        stale.push_back({old, answer(tool, command, "done")});
    }
    static std::string quoted(std::string const& text) {
        std::string out = "\"";
        condense::detail::json::append_escaped(out, text);
        return out + "\"";
    }

    std::mt19937 random_;
    int turn_ = 0;
    std::vector<std::string> orders_;
    std::vector<std::vector<std::string>> files_;
};

/// The first stale line in the summary of a request, of those whose change is not in it word for word.
std::string stale_in(conversation const& request, std::vector<stale_line> const& stale) {
    std::string summary, others;
    for (auto const& m : request) (contains(text_of(m), "<summary>") ? summary : others) += text_of(m) + "\n";
    for (auto const& one : stale)
        if (!contains(others, one.changed_by))
            for (auto const* const before : {"\n", "> "})
                if (contains(summary, before + one.text + "\n")) return one.text;
    return "";
}

}  // namespace

TEST_CASE("superseded: a summary quotes no line that a later call has changed") {
    auto const count = rounds(200);
    auto const model = [](std::string_view) { return std::string{"the model"}; };
    std::size_t summaries = 0, changes = 0;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        work generated{static_cast<std::uint32_t>(seed)};
        auto session = condense::session{conversation{}, condense::presets::recommended(tape{}, shelf{}, model),
                                         budget{.window = condense::tokens{4'000 + seed % 5 * 3'000}}, per_byte{}};
        for (int round = 0; round < 150; ++round) {
            auto const known = generated.messages.size();
            generated.next();
            for (auto at = known; at < generated.messages.size(); ++at) session.push(generated.messages[at]);
            if (!session.prepare().changed()) continue;
            ++summaries;
            INFO("seed " << seed << ", round " << round);
            conversation request;
            for (auto const& m : session.request()) request.push_back(m);
            REQUIRE(stale_in(request, generated.stale) == "");
        }
        changes += generated.stale.size();
    }
    CHECK(summaries > 3 * count);
    CHECK(changes > 20 * count);
}
