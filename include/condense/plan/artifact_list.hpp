// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <condense/core/estimator.hpp>
#include <condense/core/quantity.hpp>
#include <condense/core/store.hpp>
#include <condense/detail/saturate.hpp>
#include <condense/detail/text.hpp>
#include <condense/detail/text_type.hpp>
#include <condense/detail/utf8.hpp>
#include <condense/plan/artifact.hpp>

// The artifacts of one request: attachments, and results that are kept elsewhere. Their content is read where it is.

namespace condense {
inline namespace v1 {

/// What a program gives along with a question: a text, or the reference of a stored one.
struct attachment {
    std::string_view content = {};  ///< must outlive the list
    std::string_view id = {};  ///< the reference of an artifact, 24 hexadecimal digits; in place of `content`
    std::string_view title = {};
    std::string_view source = {};  ///< such as a path or an address
    std::string_view type = {};  ///< such as text/html; empty for what its content looks like
};

/// Why an attachment was not taken.
enum class attachment_fault : std::uint8_t {
    none,
    empty,  ///< neither content nor id
    both,  ///< content and id
    malformed_id,  ///< the id is no reference
    unknown_id,  ///< no artifact of this conversation has it
};

struct [[nodiscard]] attachment_error {
    attachment_fault fault = attachment_fault::none;

    constexpr explicit operator bool() const noexcept { return fault != attachment_fault::none; }
    constexpr std::string_view text() const noexcept {
        switch (fault) {
            case attachment_fault::none: return "";
            case attachment_fault::empty: return "an attachment must have a content or an id";
            case attachment_fault::both: return "an attachment must have a content or an id, not both";
            case attachment_fault::malformed_id: return "the id of an attachment must be 24 hexadecimal digits";
            case attachment_fault::unknown_id: break;
        }
        return "the id of the attachment is no artifact of this conversation";
    }
    friend constexpr bool operator==(attachment_error, attachment_error) = default;
};

/// Facts and previews of artifacts, and how to read them. `Estimator` counts their tokens.
template <token_estimator Estimator>
class artifact_list {
public:
    /// Calls the sink with (index within the source, text) for each that is wanted.
    using source_reader = std::function<void(plan_request::wanted_texts const&, plan_request::text_sink const&)>;

    artifact_list() = default;
    explicit artifact_list(Estimator estimator) : estimator_{std::move(estimator)} {}

    std::vector<artifact> const& all() const noexcept { return artifacts_; }
    std::size_t size() const noexcept { return artifacts_.size(); }
    /// Where the whole of an artifact is; nothing for what has no reference.
    reference const& stored(std::size_t index) const noexcept { return stored_[index]; }
    Estimator const& estimator() const noexcept { return estimator_; }

    /// Adds a document by its content.
    attachment_error attach(attachment const& given) {
        if (!given.id.empty()) return {given.content.empty() ? attachment_fault::unknown_id : attachment_fault::both};
        if (given.content.empty()) return {attachment_fault::empty};
        add_source([content = given.content](auto const& wanted, auto const& sink) {
            if (wanted(0)) sink(0, content);
        });
        add(document(given), given.content);
        return {};
    }
    /// The same, also by the reference of what `store` keeps for this conversation; a reference of another one is
    /// unknown.
    template <traceable_store Store>
    attachment_error attach(attachment const& given, Store const& store, std::string_view conversation) {
        if (given.id.empty()) return attach(given);
        if (!given.content.empty()) return {attachment_fault::both};
        auto const name = reference::of(given.id);
        if (!name) return {attachment_fault::malformed_id};
        if (!store.source(*name, conversation)) return {attachment_fault::unknown_id};
        auto const content = store.get(*name);
        if (!content) return {attachment_fault::unknown_id};
        add_stored(document(given), *content, *name, store);
        return {};
    }

    /// Where the artifacts that are added next are read. What it refers to must outlive the list.
    void add_source(source_reader read) { sources_.push_back({artifacts_.size(), std::move(read)}); }
    /// Adds an artifact of the latest source. Size, cost, preview and type are those of `content`.
    void add(artifact facts, std::string_view content, reference const& stored = {}) {
        facts.size = {content.size()};
        facts.cost = detail::part_cost(estimator_, part_view{.text = content}).tokens();
        facts.preview = printable(content, detail::preview_points);
        if (facts.type.empty()) facts.type = detail::type_of_text(content);
        stored_.resize(artifacts_.size());  // where the next line but one has thrown before
        stored_.push_back(stored);
        artifacts_.push_back(std::move(facts));
    }
    /// Adds an artifact that a store keeps.
    template <artifact_store Store>
    void add_stored(artifact facts, std::string_view content, reference const& name, Store const& store) {
        add_source([store, name](auto const& wanted, auto const& sink) {
            if (!wanted(0)) return;
            if (auto const text = store.get(name)) sink(0, *text);
        });
        add(std::move(facts), content, name);
    }

    /// Calls sink(index, text) for each that is wanted and can be read. What a source gives besides is left out.
    void read(plan_request::wanted_texts const& wanted, plan_request::text_sink const& sink) const {
        for (std::size_t place = 0; place < sources_.size(); ++place) {
            auto const first = sources_[place].first;
            auto const end = place + 1 < sources_.size() ? sources_[place + 1].first : artifacts_.size();
            auto const is_wanted = [&](std::size_t index) { return index < end - first && wanted(first + index); };
            auto const pass_on = [&](std::size_t index, std::string_view text) {
                if (is_wanted(index)) sink(first + index, text);
            };
            sources_[place].read(plan_request::wanted_texts{is_wanted}, plan_request::text_sink{pass_on});
        }
    }

private:
    struct source {
        std::size_t first = 0;
        source_reader read;
    };

    artifact document(attachment const& given) {
        artifact facts{.id = "d" + std::to_string(++documents_), .kind = artifact_kind::document};
        facts.source = printable(given.title.empty() ? given.source : given.title, detail::source_points);
        if (!given.title.empty() && !given.source.empty())
            facts.source += ", " + printable(given.source, detail::source_points);
        if (facts.source.empty()) facts.source = "document " + std::to_string(documents_);
        facts.type = printable(given.type, 40);
        facts.arrived = artifacts_.empty() ? 0 : add_capped(artifacts_.back().arrived, 1);
        return facts;
    }

    Estimator estimator_ = {};
    std::vector<artifact> artifacts_;
    std::vector<reference> stored_;
    std::vector<source> sources_;
    std::uint64_t documents_ = 0;
};

}  // namespace v1
}  // namespace condense
