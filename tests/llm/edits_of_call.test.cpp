// SPDX-License-Identifier: BSL-1.0
#include <condense/llm/edits_of_call.hpp>

#include <condense/detail/json_quote.hpp>

#include "support/catch.hpp"

namespace {

/// "FILE: OLD > NEW | ..." of the edits of a call; * for all of a file, ? for what is not known.
std::string edits_of(std::string_view arguments) {
    std::string out;
    condense::detail::each_edit({.kind = condense::part_kind::tool_call, .text = arguments},
                                condense::usual_edit_members, [&](condense::file_edit const& edit) {
                                    out.append(edit.file).append(": ").append(edit.old.value_or("*")).append(" > ");
                                    out.append(edit.text.value_or("?")).append(" | ");
                                });
    return out;
}
std::string edits_of_script(std::string_view script) {
    std::string arguments = "{\"command\": \"";
    condense::detail::json::append_escaped(arguments, script);
    return edits_of(arguments + "\"}");
}

}  // namespace

TEST_CASE("each_edit: members of the arguments, in any order and several times") {
    CHECK(edits_of(R"({"path":"a","old_string":"x","new_string":"y\nz"})") == "a: x > y\nz | ");
    CHECK(edits_of(R"({"newText":"y","oldText":"x","file_path":"a"})") == "a: x > y | ");
    CHECK(edits_of(R"({"path":"a","old_str":"x","new_str":""})") == "a: x >  | ");
    CHECK(edits_of(R"({"path":"a","edits":[{"old_text":"1","new_text":"2"},{"old_text":"3","new_text":"4"}]})") ==
          "a: 1 > 2 | a: 3 > 4 | ");
    CHECK(edits_of(R"({"path":"a","file_text":"all"})") == "a: * > all | ");
    CHECK(edits_of(R"({"todos":[{"content":"mend it"}]})") == "");  // of no file
    CHECK(edits_of(R"({"path":"a","old_string":"x"})") == "a: x > ? | ");
    CHECK(edits_of(R"({"search":"x","replace":"y"})") == ": x > y | ");
    for (auto const* const none :
         {"", "no JSON", "{", R"({"path":"a","search":"x"})", R"({"new_string":1})", R"({"old_text":5})"})
        CHECK(edits_of(none) == "");
}

TEST_CASE("each_edit: patches as apply_patch takes them") {
    CHECK(
        edits_of(
            R"({"input":"*** Begin Patch\n*** Update File: a\n@@ f\n x\n-y\n+z\n@@\n-w\n*** Add File: b\n+q\n*** End Patch"})") ==
        "a: x\ny\n > x\nz\n | a: w\n >  | b: * > q\n | ");
    CHECK(edits_of(R"({"input":"*** Begin Patch\n-x\n+y"})") == ": x\n > y\n | ");
}

TEST_CASE("each_edit: here-documents of a shell, and sed -i") {
    CHECK(edits_of_script("cat > a.py <<'EOF'\nimport x\nEOF\ncat >> b <<-\"E\"\ny\nE\necho <<E") ==
          "a.py: * > import x\n | b:  > y\n | ");
    CHECK(edits_of_script("cat <<EOF > 'a b'\nx\nEOF") == "a b: * > x\n | ");
    CHECK(edits_of_script("cat > a <<EOF\nnever ends") == "");
    CHECK(edits_of_script("cd /x && sed -i 's/a\\.b=1/a.b=2/g' src/a.c") == "src/a.c: a.b=1 > ? | ");
    CHECK(edits_of_script("sed -i -E \"12,30s|old text|new|\" a.c; make") == "a.c: old text > ? | ");
    CHECK(edits_of_script("sed -i '/^import$/d' a.c") == "a.c: * > ? | ");
    CHECK(edits_of_script("sed -i '12a import x' a.c") == "a.c: * > ? | ");
    for (auto const* const none : {"sed -i", "sed -i 's/a/b/'", "sed -n 's/a/b/' a.c", "echo '"})
        CHECK(edits_of_script(none) == "");
}
