// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string_view>

// What models, providers and proxies answer when they are asked for a summary: texts that are one, and
// texts that are none. Written before the rule that tells them apart.

namespace answers {

/// Summaries, many of which quote a refusal, an error, or a page of one.
inline constexpr std::array<std::string_view, 24> summaries = {
    // The sections that the prompt asks for.
    "## Intent\nMigrate the billing service to API version 9.\n\n## Progress\n14 call sites found, 9 changed.\n\n"
    "## Next steps\nChange the other 5 and run the tests.",
    "**Intent:** find out why the assistant answers \"I'm sorry, but I can't assist with that request.\"\n"
    "**Progress:** the system prompt of `support_bot.py` was too strict; line 41 changed.\n**Next steps:** deploy.",
    "The user asked why POST /orders returns 500 Internal Server Error. The cause is a missing index; "
    "`migrations/0042.sql` adds it. Next: run it on staging.",
    "Intent: make the client survive rate limits.\nState: `client.cpp` retries on 429 Too Many Requests with "
    "{\"error\":{\"message\":\"rate limit exceeded\"}}.\nNext steps: a test for the third retry.",
    "Error handling was rewritten: `parse()` returns `std::expected` now, and no function throws any more. "
    "Three callers are left: main.cpp, shell.cpp, batch.cpp.",
    "Error: 500 Internal Server Error was what the user saw on POST /orders. We found a null pointer in "
    "`order_repo.cc:118` and fixed it; the tests pass.",
    "Rate limit exceeded errors came from the crawler, not from the user's account. Decision: at most four "
    "workers, exponential backoff from 2 s. Open: the alert in Grafana.",
    "\"I'm sorry, but I can't assist with that request.\" was the answer of the bot to every third question. "
    "The filter list in `policy.yaml` held the word `kill`, as in `kill -9`; it is gone now.",
    "I cannot reproduce the crash on Linux; on macOS it occurs with 3 of 20 files. Suspect: the allocator in "
    "`arena.hpp`. The user wants a minimal example next.",
    "Sorry messages in the interface now say what to do next. Texts are in `i18n/en.json`, keys `sorry.*`; the "
    "German ones wait for the translator.",
    "Summary of the conversation so far:\n\n1. The user wants a script that backs up PostgreSQL every night.\n"
    "2. `backup.sh` works; cron runs it at 02:00.\n3. Restoring fails with `Error: relation \"users\" already exists`.",
    "Sure, here is a summary of the conversation:\n\n- Goal: parse HTTP responses, also `HTTP/1.1 502 Bad Gateway`.\n"
    "- `response_parser` handles status lines and headers.\n- Chunked bodies are missing.",
    "Certainly! Here's the summary.\n\n### Decisions\nReply `403 Forbidden` instead of `404 Not Found`.\n\n"
    "### Details\nFiles: auth.go, auth_test.go.",
    "Unable to connect: this was the user's first report. The cause was a firewall rule on port 5432 of db-2. "
    "It is open now and the nightly job ran.",
    "An error occurred in the payment service whenever a refund was larger than 1,000 EUR; the user asked for a "
    "fix. `refund_limit` is a decimal now, and two tests cover it.",
    "{\"intent\": \"fix the login\", \"progress\": \"token refresh works\", \"errors\": [\"401 on /me\"], "
    "\"next_steps\": [\"write a test\"]}",
    "The page https://status.example.com answered with `<html><head><title>502 Bad Gateway</title></head>` all "
    "morning. The user decided to wait. Notes are in incident.md.",
    "As an AI feature, autocomplete must be off by default, the user decided. `settings.ts` has the switch; the "
    "documentation is not written yet.",
    "Traceback found and fixed: `KeyError: 'id'` in sync.py line 88, because guests have no id. The user wants "
    "the same check in export.py.",
    "They worked.",
    "Ziel: Umstellung auf UTF-8. Stand: 12 von 30 Dateien sind umgestellt. Fehler \"Es tut mir leid, aber ich kann "
    "dabei nicht helfen\" im Testbot ist behoben. N\xC3\xA4"
    "chster Schritt: Dateien 13 bis 20.",
    "\xE7\x94\xA8\xE6\x88\xB7\xE8\xA6\x81\xE6\xB1\x82\xE4\xBF\xAE\xE5\xA4\x8D\xE7\x99\xBB\xE5\xBD\x95\xE9\x94\x99\xE8"
    "\xAF\xAF"
    " 401\xE3\x80\x82\xE5\xB7\xB2\xE4\xBF\xAE\xE6\x94\xB9 "
    "auth.py\xE3\x80\x82\xE4\xB8\x8B\xE4\xB8\x80\xE6\xAD\xA5\xEF\xBC\x9A"
    "\xE5\x8A\xA0\xE6\xB5\x8B\xE8\xAF\x95\xE3\x80\x82",
    "I can't tell from the logs whether the deploy finished, so the last step is to ask the user. Done: image "
    "`api:1.9.2` built and pushed; helm values updated.",
    "The assistant refused (\"I cannot help with scraping that site\"), the user explained that it is their own "
    "shop, and the assistant wrote `scrape.py`. It fetches 200 pages; page 201 gives `403 Forbidden`.",
};

/// Refusals, errors and error documents.
inline constexpr std::array<std::string_view, 24> no_summaries = {
    // Refusals of models.
    "I'm sorry, but I can't assist with that request.",
    "I\xE2\x80\x99m sorry, but I can\xE2\x80\x99t help with that.",
    "I cannot fulfill this request. I am programmed to be a helpful and harmless AI assistant.",
    "As an AI language model, I don't have access to previous conversations, so I am unable to summarize them.",
    "Thank you for sharing the conversation.\n\nUnfortunately, I'm not able to provide a summary of this content, "
    "because it may violate our usage policies.",
    "## Summary\n\nI'm unable to summarize this conversation.",
    "I apologize, but I don't feel comfortable continuing with this.",
    "Claude does not have the ability to run the code it generates yet.\n\nI can't assist with summarizing this "
    "transcript.",
    "Es tut mir leid, aber ich kann bei dieser Anfrage nicht helfen.",
    "\xE6\x8A\xB1\xE6\xAD\x89\xEF\xBC\x8C\xE6\x88\x91\xE6\x97\xA0\xE6\xB3\x95\xE6\xBB\xA1\xE8\xB6\xB3\xE6\x82\xA8\xE7"
    "\x9A\x84"
    "\xE8\xAF\xB7\xE6\xB1\x82\xE3\x80\x82",
    // There was nothing to read, as the model thinks.
    "It looks like you haven't provided a conversation to summarize. Please provide the conversation.",
    // Error texts of clients and providers.
    "Error: 500 Internal Server Error",
    "API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
    "Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o in organization org-x on tokens per min "
    "(TPM): Limit 30000, Used 29541, Requested 1207.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
    "openai.RateLimitError: You exceeded your current quota, please check your plan and billing details.",
    "Here is the summary:\n\nAn error occurred while processing your request. You can retry your request, or contact "
    "us through our help center at help.openai.com if the error persists.",
    "Traceback (most recent call last):\n  File \"/app/proxy.py\", line 88, in ask\n    raise_for_status()\n"
    "requests.exceptions.HTTPError: 502 Server Error: Bad Gateway",
    "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
    "Request timed out.",
    // Error documents.
    "{\"error\":{\"message\":\"rate limit exceeded\"}}",
    "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 214302 tokens "
    "> 200000 maximum\"}}",
    "```json\n{\"detail\": \"Internal server error\", \"status\": 500}\n```",
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>",
    "event: error\ndata: {\"error\": {\"code\": 503, \"message\": \"The model is overloaded. Please try again "
    "later.\", "
    "\"status\": \"UNAVAILABLE\"}}",
};

// Written after the rule, to see how it does with what it was not made for.

inline constexpr std::array<std::string_view, 10> later_summaries = {
    "<analysis>\nThe user began with a failing build.\n</analysis>\n\n<summary>\n1. Primary Request and Intent: mend "
    "the build.\n"
    "4. Errors and fixes:\n   - `error: 'span' is not a member of 'std'`: compile with C++20.\n</summary>",
    "Error log of the session: the build failed three times with C2039, and passed once `<span>` was included in "
    "view.hpp. Left to do: the release notes.",
    "Failed to install numpy 2.0 on Python 3.8 at first; with 1.24 it works. requirements.txt pins it. Jenkins has yet "
    "to run the pipeline.",
    "Invalid dates are rejected with 422 now. Files: api/validate.rb, spec/validate_spec.rb. Waiting for review.",
    "Connection pooling was added to the database layer (pgbouncer, 20 connections). Latency fell from 90 to 12 ms.",
    "Okay, here's what happened so far. The bot replied \"I cannot fulfill this request\" to harmless questions; "
    "temperature was no cause, the moderation endpoint was. It is off for staff accounts.",
    "# Handover\n\nCannot be merged before Monday because of the code freeze. Branch: feature/oauth. All 212 tests are "
    "green.",
    "I don't see a way around the 4,096 byte limit of the driver, so images go through S3. upload.ts does that; the "
    "lambda has no permission for it yet.",
    "The request was to block prompts that violate the content policy. `moderate()` flags them and the UI shows "
    "\"Your request was flagged\". Thresholds are in moderation.toml.",
    "Stream processing moved from Kafka to NATS. consumer.rs compiles, the offsets table is gone, and the load test "
    "ran for an hour without an error.",
};

inline constexpr std::array<std::string_view, 10> later_no_summaries = {
    "I must respectfully decline to summarize this exchange.",
    "I'm really sorry, but that's not something I'm able to help with.",
    "Hi! I appreciate you reaching out, but I won't be able to produce this summary as it contains sensitive personal "
    "data.",
    "**Summary**\n\nI can\xE2\x80\x99t provide that.",
    "No response from the model after 3 attempts.",
    "litellm.ServiceUnavailableError: AnthropicException - Overloaded. Received Model Group=claude-sonnet-4",
    "400 Value error, 'reasoning_effort' is only supported for GPT-OSS reasoning models.",
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify "
    "your prompt and retry.",
    "{\"id\":\"gen-1\",\"choices\":[],\"error\":{\"message\":\"Provider returned error\",\"code\":502}}",
    "Here's the summary you asked for:\n\n- Intent: migrate the database.\n- Progress: schema done.\n\n"
    "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}",
};

// A second time, after the rule had been mended by the first.

inline constexpr std::array<std::string_view, 10> latest_summaries = {
    "User intent: a Rust CLI that mirrors an S3 bucket. Done: listing, download, resume. Open issue: `AccessDenied` "
    "for "
    "versioned objects.",
    "Timeouts in the nightly job came from DNS. The resolver is pinned to 10.0.0.2; 14 nights without an incident "
    "since.",
    "Forbidden words are kept in a trie now instead of a regex, 40 times faster. Benchmarks are in the pull request.",
    "Unable to log in: three customers reported it on 4 May. Session cookies had SameSite=Strict. Rolled back, "
    "post-mortem is due on Friday.",
    "We talked about error codes. 404 for unknown ids, 409 for conflicts, 429 with Retry-After. The OpenAPI document "
    "needs all three.",
    "- goal: translate the site to French\n- status: 80 of 120 pages\n- refused by the assistant: \"I can't help with "
    "legal advice\" for the terms page\n- next: have a lawyer look at it",
    "Resumen: el usuario pide exportar a CSV. El script funciona; falta el error 500 con archivos de m\xC3\xA1s de 2 "
    "GB.",
    "Thanks for the context. Summary: the parser fails on nested comments. Grammar rule 12 is the culprit, and a patch "
    "is on branch nested-comments.",
    "503s from the inventory service stopped once the pool size was raised to 64. Dashboards: grafana/d/inv. Alerts "
    "stay on.",
    "Sorry state of the docs: 31 dead links, 12 outdated examples. The first half is repaired (chapters 1 to 6).",
};

inline constexpr std::array<std::string_view, 10> latest_no_summaries = {
    "I'm not able to engage with this content. If you have another question, I am happy to help.",
    "Sorry, I can't continue this conversation.",
    "I won't do that.",
    "Je suis d\xC3\xA9sol\xC3\xA9, mais je ne peux pas r\xC3\xA9sumer cette conversation.",
    "There doesn't seem to be any conversation for me to summarize. Could you share the transcript?",
    "Our servers are currently experiencing high load. Please try again in a few minutes.",
    "You have run out of credits. Visit https://example.com/billing to add more.",
    "Sure! Here is a concise summary:\n\nError: stream ended unexpectedly",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>SlowDown</Code><Message>Reduce your request "
    "rate.</Message></Error>",
    "{\"message\":\"Too many tokens, please wait before trying again.\"}",
};

/// What a summary says of a conversation, and what may stand in its place.
inline constexpr std::array<std::string_view, 12> shapes = {
    "I'm sorry, but I can't assist with that request.",
    "I cannot help with summarizing this conversation.",
    "As an AI language model, I am unable to process this content.",
    "I must decline to continue with this.",
    "Your request was flagged as potentially violating our usage policy.",
    "Error: 500 Internal Server Error",
    "429 Too Many Requests",
    "Rate limit exceeded. Please try again in 20 seconds.",
    "openai.APIConnectionError: Connection error.",
    "{\"error\": {\"type\": \"server_error\", \"message\": \"The server had an error while processing your "
    "request.\"}}",
    "<!DOCTYPE html>\n<html><head><title>504 Gateway Time-out</title></head><body></body></html>",
    "upstream request timeout",
};
inline constexpr std::array<std::string_view, 6> positions = {
    "",
    "Sure, here is the summary you asked for:\n\n",
    "## Summary\n\n",
    "Thank you for the conversation. ",
    "**Intent**\n",
    "Summary: ",
};
/// `@` is where a shape is quoted.
inline constexpr std::array<std::string_view, 4> quotations = {
    "The user reported that the service answers `@`. The cause is not known yet; next step: read the logs.",
    "## Intent\n\nFind out why the bot says:\n\n> @\n\n## Progress\n\nThe prompt was changed.",
    "Intent: mend the proxy.\nLast answer of the server: \"@\"\nNext steps: retry with backoff.",
    "Progress: two of three tests pass. The third gets\n\n@\n\nand the user wants to know why.",
};

}  // namespace answers
