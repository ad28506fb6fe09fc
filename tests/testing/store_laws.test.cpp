// SPDX-License-Identifier: BSL-1.0
#include <condense/testing/store_laws.hpp>

#include <memory>
#include <mutex>
#include <optional>

#include <condense/store/memory.hpp>

#include "testing/faults.hpp"

namespace {

using condense::artifact_source;
using condense::bytes;
using condense::reference;
using condense::store_error;
using condense::testing::check_store_laws;
using condense::testing::law_hash;

constexpr fault_row rows[]{
    {"none", "", ""},
    {"cuts", "gives_back", "content 23 (255 bytes) is not given back\n"},
    {"forgets_on_copy", "gives_back threads", "is not given back by a copy"},
    {"renames", "gives_back", "has another name once it is put"},
    {"empty_name", "gives_back lists", "has the empty reference as its name"},
    {"knows_everything", "gives_back erases", "content 0 (0 bytes) is there before it is put"},
    {"knows_an_unknown_name", "gives_back", "an unknown name gives something"},
    {"knows_the_empty_name", "gives_back", "the empty reference gives something"},
    {"refuses_a_second_put", "gives_back", "a second put of content 23 (255 bytes) fails: there already"},
    {"drops_other_names", "gives_back", "what was put under a name that is not its own is lost"},
    {"overwrites", "never_overwrites threads", "a content is lost by a put under its name"},
    {"hides_refusals", "never_overwrites threads", "a put under a name that is taken is no error"},
    {"gives_up_at_collisions", "never_overwrites", "a content whose hash collides is not given back"},
    {"names_collisions_twice", "never_overwrites", "a content whose hash collides has two names"},
    {"ignores_the_hash", "never_overwrites", "names are not those of the hash"},
    {"refuses_other", "erases", "put fails: not this"},
    {"lists_twice", "lists erases", "each lists an artifact twice"},
    {"lists_wrong_sizes", "lists", "each lists other names or sizes than were put"},
    {"lists_a_ghost", "lists", "each lists something of an empty store"},
    {"lists_unreadable", "lists", "an artifact that each lists is not given back"},
    {"lists_with_error", "lists erases", "each fails: cannot list"},
    {"lists_what_was_erased", "erases", "each lists something else than an erase has left"},
    {"erases_nothing", "erases knows_sources", "what was erased is given back"},
    {"erases_everything", "erases", "erase removes another content"},
    {"erases_for_ever", "erases", "what was erased and put again is not given back"},
    {"erases_known_names_alone", "erases", "erase of an unknown name fails: unknown"},
    {"erases_once", "erases", "a second erase fails: erased already"},
    {"erases_with_error", "erases knows_sources", "erases: erase fails: cannot erase"},
    {"leaks_sources", "knows_sources", "a conversation sees the source of another one"},
    {"believes_later_sources", "knows_sources", "the source of the first put is not given back"},
    {"forgets_sources_on_copy", "knows_sources", "the source of the first put is not given back"},
    {"sources_without_time", "knows_sources", "the time of a source is not set"},
    {"sources_of_the_future", "knows_sources", "the time of a source is not set"},
    {"sources_without_put", "knows_sources", "an artifact that was put without a source has one"},
    {"sources_for_everyone", "knows_sources", "an unknown artifact has a source"},
    {"sources_outlive_the_artifact", "knows_sources", "the source of what was erased is still there"},
    {"sources_of_refused_puts", "knows_sources", "a put that was refused has left a source"},
    {"hides_refusals_of_sources", "knows_sources", "with a source under a name that is taken is no error"},
    {"lists_sources_twice", "knows_sources", "each_source lists a source twice"},
    {"lists_sources_changed", "knows_sources", "each_source lists another source"},
    {"lists_sources_with_wrong_sizes", "knows_sources", "each_source lists another size"},
    {"lists_no_source", "knows_sources", "each_source lists more or fewer sources than were put"},
    {"lists_sources_after_erase", "knows_sources", "more or fewer sources than an erase has left"},
    {"lists_sources_with_error", "knows_sources", "each_source fails: cannot list"},
    {"keeps_nothing_with_source", "knows_sources", "a content that was put with a source is not given back"},
    {"loses_one_in_threads", "threads", "of contents that threads put at once some are not given back"},
    {"loses_one_after_threads", "threads", "of contents that threads put at once some are lost"},
    {"accepts_two_at_once", "threads", "2 of 8 contents put at once under one name are accepted"},
    {"accepts_another_at_once", "threads", "not the content that was accepted is given back"},
};
using fault = fault_of<rows>;

/// A store in memory that is wrong in one respect.
class wrong_store : public condense::basic_memory_store<law_hash> {
    using base = condense::basic_memory_store<law_hash>;

public:
    wrong_store(fault what, law_hash hash)
        : base{what == "ignores_the_hash" ? law_hash{} : hash}, fault_{what}, hash_{hash} {}
    wrong_store(wrong_store const& other)
        : base{other.is("forgets_on_copy") ? base{} : base{other}}, fault_{other.fault_}, hash_{other.hash_},
          notes_{other.is("forgets_sources_on_copy") ? std::make_shared<notes>() : other.notes_} {}
    wrong_store& operator=(wrong_store const&) = delete;
    ~wrong_store() = default;

    reference name(std::string_view content) const {
        if (is("empty_name") && is_large(content)) return {};
        if (is("gives_up_at_collisions")) return hash_(content, 0);
        auto const usual = base::name(content);
        if ((is("renames") && is_large(content)) || (is("names_collisions_twice") && content == "six"))
            if (base::get(usual)) return law_hash{}(content, 99);
        return usual;
    }

    store_error put(reference const& name, std::string_view content) const {
        std::lock_guard const lock{notes_->guard};
        auto const present = base::get(name);
        if (!is("erases_for_ever")) notes_->hidden.erase(name);
        if (is("refuses_other") && content == "other") return {"not this"};
        if (is("refuses_a_second_put") && present && is_large(content)) return {"there already"};
        if (is("drops_other_names") && !present && base::name(content) != name) return {};
        if (is("loses_one_in_threads") && content == "11") return {};
        if (is("overwrites") && present != content) ignore(base::erase(name));
        auto const problem = base::put(name, content);
        if (is("hides_refusals")) return {};
        if (is("accepts_two_at_once") && problem && content >= "0" && content <= "7" && notes_->refusals++ == 0)
            return {};
        return problem;
    }
    store_error put(reference const& name, std::string_view content, artifact_source source) const {
        if (is("keeps_nothing_with_source")) return {};
        auto const problem = base::put(name, content);
        if (problem && is("hides_refusals_of_sources")) return {};
        if (problem && !is("sources_of_refused_puts")) return problem;
        std::lock_guard const lock{notes_->guard};
        auto& first = notes_->sources[{name, source.conversation}];
        if (first && !is("believes_later_sources")) return problem;
        if (source.time == 0 && !is("sources_without_time")) source.time = condense::detail::calendar_seconds();
        if (is("sources_of_the_future")) source.time += 1'000'000;
        first = std::move(source);
        return problem;
    }

    std::optional<std::string> get(reference const& name) const {
        auto content = base::get(name);
        std::lock_guard const lock{notes_->guard};
        if (notes_->hidden.contains(name)) return std::nullopt;
        if (!content) {
            if (is("knows_everything") || (is("knows_the_empty_name") && !name) ||
                (is("knows_an_unknown_name") && name == law_hash{}("never put", 0)))
                return "";
            return std::nullopt;
        }
        if (is("cuts") && is_large(*content)) content->pop_back();
        if (is("lists_unreadable") && notes_->lists && content->empty()) return std::nullopt;
        if (is("loses_one_after_threads") && content == "11" && ++notes_->reads > 8) return std::nullopt;
        if (is("accepts_another_at_once") && name == law_hash{2}({}, 0) && content->size() == 1) return "another";
        return content;
    }

    store_error each(auto&& f) const {
        notes_->lists = true;
        ignore(base::each([&](reference const& name, bytes size) {
            if (is("lists_wrong_sizes") && size.count > 250) ++size.count;
            f(name, size);
            if (is("lists_twice")) f(name, size);
        }));
        if (is("lists_what_was_erased"))
            for (auto const& name : notes_->erasures) f(name, bytes{4});
        notes_->lists = false;
        if (is("lists_a_ghost") && size() == 0) f(reference{{1}}, bytes{1});
        return is("lists_with_error") ? store_error{"cannot list"} : store_error{};
    }

    store_error erase(reference const& name) const {
        if (is("erases_nothing")) return {};
        if (is("erases_known_names_alone") && size() == 0) return {"unknown"};
        if (is("erases_once") && size() != 0 && !base::get(name)) return {"erased already"};
        std::vector<reference> names{name};
        if (is("erases_everything")) ignore(base::each([&](auto const& each, auto) { names.push_back(each); }));
        for (auto const& each : names) ignore(base::erase(each));
        std::lock_guard const lock{notes_->guard};
        notes_->erasures.insert(name);
        if (is("erases_for_ever")) notes_->hidden.insert(name);
        if (!is("sources_outlive_the_artifact"))
            std::erase_if(notes_->sources, [&](auto const& each) { return each.first.first == name; });
        return is("erases_with_error") ? store_error{"cannot erase"} : store_error{};
    }

    std::optional<artifact_source> source(reference const& name, std::string_view conversation) const {
        auto const content = base::get(name);
        if (is("sources_for_everyone") && !content) return artifact_source{};
        if (is("sources_without_put") && content == "of nobody") return artifact_source{};
        std::lock_guard const lock{notes_->guard};
        for (auto const& [key, source] : notes_->sources)
            if (key.first == name && (key.second == conversation || is("leaks_sources"))) return source;
        return std::nullopt;
    }

    store_error each_source(auto&& f) const {
        auto const sources = notes_->sources;
        for (auto const& [key, source] : sources) {
            auto copy = *source;
            if (is("lists_no_source") && copy.tool.empty()) continue;
            if (is("lists_sources_changed")) copy.tool += "x";
            f(key.first, bytes{is("lists_sources_with_wrong_sizes") ? 5u : 4u}, copy);
            if (is("lists_sources_twice")) f(key.first, bytes{4}, copy);
        }
        if (is("lists_sources_after_erase") && !notes_->erasures.empty())
            f(reference{{1}}, bytes{4}, artifact_source{});
        return is("lists_sources_with_error") ? store_error{"cannot list"} : store_error{};
    }

private:
    struct notes {
        std::mutex guard;
        std::set<reference> erasures;
        std::set<reference> hidden;
        std::map<std::pair<reference, std::string>, std::optional<artifact_source>> sources;
        int reads = 0;
        int refusals = 0;
        bool lists = false;
    };

    bool is(fault what) const { return fault_ == what; }
    static bool is_large(std::string_view content) { return content.size() > 250; }
    static void ignore(store_error const& problem) { static_cast<void>(static_cast<bool>(problem)); }

    fault fault_;
    law_hash hash_;
    std::shared_ptr<notes> notes_ = std::make_shared<notes>();
};

/// No more than a store has to have, for contents of up to 1,000 bytes.
class small_store {
public:
    reference name(std::string_view content) const { return store_.name(content); }
    store_error put(reference const& name, std::string_view content) const {
        if (content.size() > 1'000) return {"too large"};
        return store_.put(name, content);
    }
    std::optional<std::string> get(reference const& name) const { return store_.get(name); }

private:
    condense::memory_store store_;
};

constexpr auto make_small = [] { return small_store{}; };

}  // namespace

TEST_CASE("store laws: a store that is wrong in one respect breaks the laws of that") {
    check_faults<rows>([](fault what) {
        return check_store_laws([&](law_hash hash) { return wrong_store{what, hash}; },
                                {.largest = 1'000, .most = 1'000});
    });
}

TEST_CASE("store laws: what was put is read by a handle that is opened later") {
    std::optional<condense::memory_store> latest;
    auto const make = [&] { return latest.emplace(); };
    CHECK(text_of(check_store_laws(make, [&] { return *latest; })) == "");
    auto const all = check_store_laws(make, [] { return condense::memory_store{}; }, {.largest = 0});
    REQUIRE(all.size() == 2);
    CHECK(all[0].text() == "reopens: content 0 (0 bytes) is not given back");
    CHECK(all[1].text() == "reopens: a source is not given back");
}

TEST_CASE("store laws: contents are no larger, and violations no more, than was asked for") {
    CHECK(check_store_laws(make_small, {.most = 3}).size() == 3);
    CHECK(check_store_laws(make_small, {.most = 3})[0].text() ==
          "gives_back: put of content 25 (100000 bytes) fails: too large");
    CHECK(text_of(check_store_laws(make_small, {.largest = 1'000})) == "");
    std::set<std::string> distinct;
    std::size_t large = 0;
    for (auto const& content : condense::testing::hostile_contents()) {
        distinct.insert(content);
        large += content.size() >= 1'000'000;
    }
    CHECK(distinct.size() == 31);
    CHECK(large == 3);
}

TEST_CASE("store laws: names collide as often as the hash says, and none is empty") {
    law_hash const hash{2};
    CHECK(hash("a", 0) == hash("b", 0));
    CHECK(hash("a", 1) == hash("b", 1));
    CHECK(hash("a", 0) != hash("a", 1));
    CHECK(hash("a", 2) != hash("b", 2));
    std::set<reference> names;
    for (auto const& content : condense::testing::hostile_contents()) names.insert(law_hash{}(content, 0));
    CHECK(names.size() == 31);
    CHECK_FALSE(names.contains({}));
}
