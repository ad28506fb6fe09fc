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

TEST_CASE("each_edit: of the file that is named last, of nothing where a call only looks or writes no file") {
    CHECK(edits_of(
              R"({"edits":[{"path":"a","old_text":"1","new_text":"2"},{"path":"b","old_text":"3","new_text":"4"}]})") ==
          "a: 1 > 2 | b: 3 > 4 | ");
    std::string seen;
    condense::detail::each_edit({.kind = condense::part_kind::tool_call,
                                 .text = R"({"path":"src","content":"wanted"})",
                                 .tool = "search_content"},
                                condense::usual_edit_members, [&](condense::file_edit const&) { seen += "edit"; });
    CHECK(seen.empty());
    CHECK(edits_of(R"({"text":"Please run: sed -i 's/a/b/' c.yml"})") == "");
    CHECK(edits_of(R"({"path":"doc.md","content":"*** Begin Patch\n*** Update File: v.c\n-x\n+y\n"})") ==
          "doc.md: * > *** Begin Patch\n*** Update File: v.c\n-x\n+y\n | ");
}

TEST_CASE("each_edit: costs a look at the arguments, and tells of a thousand edits at most") {
    std::string many = "{\"edits\":[";
    for (int edit = 0; edit < 50'000; ++edit) many += R"({"old_string":"a","new_string":"b"},)";
    many.back() = ']';
    auto const edits = edits_of(many + "}");
    CHECK(edits.ends_with(": a > b | : * > ? | "));
    CHECK(edits.size() < 20'000);
    std::string const long_text(100'000, 'a');
    CHECK(edits_of(R"({"path":"a","old_string":")" + long_text + R"(","new_string":"b"})") == "a: * > ? | ");
}

TEST_CASE("each_edit: a script costs a look at each line, whatever stands there") {
    for (std::string_view const piece : {"rm ", "rm (", "sed ", "mv a;", "git checkout ", "cat > a <<E\n", "'", "#"}) {
        std::string script;
        for (int count = 0; count < 50'000; ++count) script += piece;
        CHECK(edits_of_script(script).size() < 100'000);
    }
}

TEST_CASE("each_edit: patches as apply_patch takes them") {
    CHECK(
        edits_of(
            R"({"input":"*** Begin Patch\n*** Update File: a\n@@ f\n x\n-y\n+z\n@@\n-w\n*** Add File: b\n+q\n*** End Patch"})") ==
        "a: x\ny\n > x\nz\n | a: w\n >  | b: * > q\n | ");
    CHECK(edits_of(R"({"input":"*** Begin Patch\n-x\n+y"})") == ": x\n > y\n | ");
    CHECK(
        edits_of(
            R"({"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n-x\n+y\n*** End Patch\nEOF\nmake"})") ==
        "a: x\n > y\n | ");
    CHECK(edits_of(R"({"input":"*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c\n"})") ==
          "a: * >  | b: * > ? | ");
}

TEST_CASE("each_edit: here-documents of a shell, and sed -i") {
    CHECK(edits_of_script("cat > a.py <<'EOF'\nimport x\nEOF\ncat >> b <<-\"E\"\ny\nE\necho <<E") ==
          "a.py: * > import x\n | b:  > y\n | ");
    CHECK(edits_of_script("cat <<EOF > 'a b'\nx\nEOF") == "a b: * > x\n | ");
    CHECK(edits_of_script("cat > a <<EOF\nnever ends\ncat > b <<E\nx\nE") == "b: * > x\n | ");
    CHECK(edits_of_script("sudo tee /etc/a.conf > /dev/null <<-EOF\n\tx\n\tEOF") == "/etc/a.conf: * > x\n | ");
    CHECK(edits_of_script("rm x 2>/dev/null; cat > a.c <<EOF\nx\nEOF") == "x: * >  | a.c: * > x\n | ");
    CHECK(edits_of_script("tee -a log <<E\nx\nE") == "log:  > x\n | ");
    CHECK(edits_of_script("cd /x && sed -i 's/a\\.b=1/a.b=2/g' src/a.c") == "src/a.c: a.b=1 > ? | ");
    CHECK(edits_of_script("sed -i -E \"12,30s|old text|new|\" a.c; make") == "a.c: old text > ? | ");
    CHECK(edits_of_script("sed -i '' 's/a/b/' a.c b.c && sed -i.bak 's/c/d/' e.c") ==
          "a.c: a > ? | b.c: a > ? | e.c: c > ? | ");
    for (auto const* const script : {"'/^import$/d'", "'12a import x'", "'/a/,/b/d'", "'s/a/b/; s/c/d/'",
                                     "-E 's/(a)+/b/'", "-e 's/a/b/' -e 's/c/d/'", "'s/a*/b/'", "'s/a"})
        CHECK(edits_of_script(std::string{"sed -i "} + script +
                              (script == std::string_view{"'s/a"} ? "' a.c" : " a.c")) == "a.c: * > ? | ");
    CHECK(edits_of_script("cd w && mv -f a.c src/b.c 2>/dev/null && rm -rf old.c 'an other' *.o; ls # it's old") ==
          "a.c: * >  | src/b.c: * > ? | old.c: * >  | an other: * >  | ");
    CHECK(edits_of_script("git checkout -- Makefile b.c\nsudo rm a.c; git restore c; git checkout HEAD~1 d.c") ==
          "Makefile: * > ? | b.c: * > ? | a.c: * >  | c: * > ? | d.c: * > ? | ");
    CHECK(edits_of_script("rm a.txt; mv b.txt a.txt") == "a.txt: * >  | b.txt: * >  | a.txt: * > ? | ");
    CHECK(edits_of_script("rm a.c # and b.c\nrm c.c") == "a.c: * >  | c.c: * >  | ");
    for (auto const* const none : {"rm",
                                   "mv $a $b",
                                   "alarm x",
                                   "git commit -m 'x\nrm old.c'",
                                   "git checkout main",
                                   "git checkout -b a.c",
                                   "docker run --rm x",
                                   "echo rm x",
                                   "mv -t dir a b",
                                   "python3 - <<E\nrm x\nE",
                                   "sed -i",
                                   "sed -i 's/a/b/'",
                                   "sed -n 's/a/b/' a.c",
                                   "echo '",
                                   "sed -i 's/a/b/' $f src/*.c",
                                   "python3 - <<'EOF' 2>&1 | tail\nprint(1)\nEOF",
                                   "python3 - <<E > out\nx\nE",
                                   "grep x <<< \"$v\" > n",
                                   "cat > a <<\n\n",
                                   "cat > /dev/null <<E\nx\nE"})
        CHECK(edits_of_script(none) == "");
}
