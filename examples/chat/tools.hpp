// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <condense/adapt/json_parse.hpp>
#include <condense/detail/utf8.hpp>

#include "search.hpp"
#include "terminal.hpp"
#include "workspace.hpp"

// What the model may do in the folder: list, read, search. Its arguments may be anything: whatever goes
// wrong is the text of the result, for the model to read.

namespace repl {

using json = nlohmann::json;

/// The tools as the request names them, but those by which it reads what was said before; what they cost is overhead of
/// the budget.
inline json tool_schemas() {
    auto const tool = [](char const* name, char const* about, json properties, json required) {
        return json{
            {"type", "function"},
            {"function",
             {{"name", name},
              {"description", about},
              {"parameters",
               {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}}}}}};
    };
    auto const text = json::object({{"type", "string"}});
    auto const line = json::object({{"type", "integer"}, {"minimum", 1}});
    auto tools = json::array();
    tools.push_back(tool("list", "Lists a folder.", json::object({{"folder", text}}), json::array()));
    tools.push_back(tool("read", "Reads a text file, or its lines from first to last.",
                         json::object({{"file", text}, {"first", line}, {"last", line}}), json::array({"file"})));
    tools.push_back(tool("search", "Finds a literal text in all files below a folder.",
                         json::object({{"text", text}, {"folder", text}}), json::array({"text"})));
    tools.push_back(
        tool("stored", "Gives a stored original, from a character on, as much as one result may have.",
             json::object({{"reference", text}, {"from", json::object({{"type", "integer"}, {"minimum", 0}})}}),
             json::array({"reference"})));
    return tools;
}

/// About an eighth of a small window, and 10,000 characters of a large one; what is longer is stored.
inline std::uint64_t most_in_one_result(std::uint64_t window) {
    return std::clamp(window / 2, std::uint64_t{400}, std::uint64_t{10'000});
}

class tools {
public:
    explicit tools(workspace const& in) : in_{in} {}

    /// The result of one call: valid UTF-8, of bounded size.
    std::string run(std::string_view name, std::string_view arguments) const {
        auto const read = condense::parse_json<json>(arguments.empty() ? "{}" : arguments);
        if (!read) return "error: the arguments are not JSON: " + read.error;
        if (!read.value.is_object()) return "error: the arguments must be an object";
        auto const& given = read.value;
        std::string out = name == "list"   ? list(given)
                          : name == "read" ? read_file(given)
                          : name == "search"
                              ? search(given)
                              : "error: there is no such tool; the tools are list, read, search and stored";
        return condense::utf8::scrubbed(std::move(out));
    }

private:
    static constexpr std::size_t most_listed = 500;
    static constexpr std::size_t most_read = 16u << 20;  ///< to find a line in
    static constexpr std::size_t most_shown = 256u << 10;

    /// A string member; nothing where it is missing or of another type.
    static std::optional<std::string> text_of(json const& given, char const* key) {
        auto const found = given.find(key);
        if (found == given.end() || !found->is_string()) return std::nullopt;
        return found->get<std::string>();
    }
    /// A line number from 1 on; nothing where the member is anything else than that, or missing.
    static std::optional<std::uint64_t> line_of(json const& given, char const* key, std::uint64_t otherwise) {
        auto const found = given.find(key);
        if (found == given.end() || found->is_null()) return otherwise;
        if (!found->is_number_unsigned() || found->get<std::uint64_t>() == 0) return std::nullopt;
        return found->get<std::uint64_t>();
    }

    static std::string refused(std::string const& path, std::string const& why) {
        return "error: '" + one_line(path) + "': " + why;
    }

    std::string list(json const& given) const {
        auto const path = given.contains("folder") ? text_of(given, "folder") : std::string{"."};
        if (!path) return "error: 'folder' must be a string";
        auto const opened = in_.open_folder(*path);
        if (!opened.error.empty()) return refused(*path, opened.error);
        std::string out;
        std::size_t shown = 0;
        auto const inside = entries_of(opened.at);
        for (auto const& each : inside.entries) {
            if (++shown > most_listed) break;
            out += one_line(each.name);
            if (each.kind == entry_kind::file) out += " (" + std::to_string(each.size) + " bytes)";
            else
                out += each.kind == entry_kind::folder ? "/"
                       : each.kind == entry_kind::link ? " (link, not followed)"
                                                       : " (no file)";
            out += "\n";
        }
        if (!inside.whole || shown > most_listed) out += "[there may be more]\n";
        return out.empty() ? "the folder is empty\n" : out;
    }

    std::string read_file(json const& given) const {
        auto const path = text_of(given, "file");
        auto const first = line_of(given, "first", 1);
        auto const last = line_of(given, "last", ~std::uint64_t{0});
        if (!path) return "error: 'file' must be a string";
        if (!first || !last || *first > *last)
            return "error: 'first' and 'last' must be line numbers from 1 on, in order";
        auto const opened = in_.open_file(*path);
        if (!opened.error.empty()) return refused(*path, opened.error);
        auto const held = read_text(opened.at, most_read);
        if (!held.error.empty()) return refused(*path, held.error);

        std::string_view text{held.text};
        std::uint64_t line = 1;
        for (; line < *first && !text.empty(); ++line)
            text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
        if (text.empty()) return line == 1 ? "the file is empty\n" : refused(*path, "it has fewer lines than that");
        std::size_t end = 0;
        for (; line <= *last && end < text.size() && end <= most_shown; ++line)
            end = std::min(text.find('\n', end), text.size() - 1) + 1;
        auto const cut = end > most_shown || (end == text.size() && !held.whole);
        std::string out{text.substr(0, condense::utf8::floor(text, std::min(end, most_shown)))};
        if (cut)
            out += "\n[the file goes on; it has " + std::to_string(posix::about(opened.at).st_size) +
                   " bytes: read fewer lines]\n";
        return out;
    }

    std::string search(json const& given) const {
        auto const text = text_of(given, "text");
        auto const path = given.contains("folder") ? text_of(given, "folder") : std::string{"."};
        if (!text || text->empty() || text->find('\n') != std::string::npos)
            return "error: 'text' must be a string of one line";
        if (!path) return "error: 'folder' must be a string";
        auto const opened = in_.open_folder(*path);
        if (!opened.error.empty()) return refused(*path, opened.error);
        text_search walk{*text};
        walk.below(opened.at, *path == "." ? "" : *path);
        return walk.answer();
    }

    workspace const& in_;
};

}  // namespace repl
