// SPDX-License-Identifier: BSL-1.0
#include <condense/core/redaction.hpp>

#include <stdexcept>

#include <condense/core/run_options.hpp>

#include "support/catch.hpp"

namespace {

using condense::detail::redacted_note, condense::detail::with_redacted;

struct no_keys {
    std::size_t operator()(std::string& text) const {
        std::size_t count = 0;
        for (auto begin = text.find("KEY"); begin != std::string::npos; begin = text.find("KEY"), ++count)
            text.replace(begin, 3, "(gone)");
        return count;
    }
};
struct throwing {
    std::size_t operator()(std::string&) const { throw std::runtime_error{"KEY"}; }
};
struct not_const {
    std::size_t operator()(std::string&) { return 0; }
};
struct of_views {
    std::size_t operator()(std::string_view) const { return 0; }
};
struct of_nothing {
    void operator()(std::string&) const {}
};
struct sleeping : no_keys {
    bool active = false;
};

static_assert(condense::redactor<no_keys> && condense::redactor<condense::no_redaction> &&
              condense::redactor<sleeping>);
static_assert(condense::redactor<of_views>);
static_assert(!condense::redactor<not_const> && !condense::redactor<of_nothing> && !condense::redactor<int>);
static_assert(!condense::detail::may_redact<condense::no_redaction const&> && condense::detail::may_redact<no_keys>);
static_assert(std::is_same_v<decltype(condense::run_options{}.redact), condense::no_redaction>);
static_assert(std::is_same_v<decltype(condense::run_options{.redact = no_keys{}}.redact), no_keys>);

}  // namespace

TEST_CASE("redaction: a text is given as it may leave, with the count") {
    auto const both = [](std::string_view text, std::size_t count) {
        return std::string{text} + std::to_string(count);
    };
    CHECK(with_redacted(no_keys{}, "a KEY", both) == "a (gone)1");
    CHECK(with_redacted(no_keys{}, "3:KEY,", both) == "6:(gone),1");
    CHECK(with_redacted(condense::no_redaction{}, "a KEY", both) == "a KEY0");
    CHECK(with_redacted(sleeping{}, "a KEY", both) == "a KEY0");
    CHECK(with_redacted(sleeping{{}, true}, "a KEY", both) == "a (gone)1");
    std::string const text = "untouched";
    with_redacted(condense::no_redaction{}, text,
                  [&](std::string_view same, std::size_t) { CHECK(same.data() == text.data()); });
}

TEST_CASE("redaction: a note is redacted before it is cut, and one that was cut loses its last word") {
    auto const long_words = std::string(60, 'w') + " KEY " + std::string(60, 'w');
    CHECK(std::string_view{redacted_note<96>(no_keys{}, long_words)} ==
          (std::string(60, 'w') + " (gone) " + std::string(60, 'w')).substr(0, 96));
    CHECK(std::string_view{redacted_note<96>(no_keys{}, "no KEY")} == "no (gone)");
    for (std::size_t const size : {93u, 94u, 95u, 96u}) {
        auto const cut = std::string(size - 6, 'w') + " KE" + "YKE";  // whatever the last word was to become
        CHECK(std::string_view{redacted_note<96>(no_keys{}, cut)} == std::string(size - 6, 'w'));
        CHECK(redacted_note<96>(no_keys{}, std::string(size, 'K')).empty());
        CHECK(std::string_view{redacted_note<96>(condense::no_redaction{}, cut)} == cut);
    }
    CHECK(std::string_view{redacted_note<96>(no_keys{}, std::string(92, 'w'))} == std::string(92, 'w'));
    CHECK(std::string_view{redacted_note<96>(throwing{}, "a KEY")} == "the reason could not be redacted");
    CHECK(std::string_view{redacted_note<96>(sleeping{}, "a KEY")} == "a KEY");
    CHECK(noexcept(redacted_note<96>(throwing{}, std::string_view{})));
}
