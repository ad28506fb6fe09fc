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
    "dabei nicht helfen\" im Testbot ist behoben. N\xC3\xA4""chster Schritt: Dateien 13 bis 20.",
    "\xE7\x94\xA8\xE6\x88\xB7\xE8\xA6\x81\xE6\xB1\x82\xE4\xBF\xAE\xE5\xA4\x8D\xE7\x99\xBB\xE5\xBD\x95\xE9\x94\x99\xE8\xAF\xAF"
    " 401\xE3\x80\x82\xE5\xB7\xB2\xE4\xBF\xAE\xE6\x94\xB9 auth.py\xE3\x80\x82\xE4\xB8\x8B\xE4\xB8\x80\xE6\xAD\xA5\xEF\xBC\x9A"
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
    "Claude does not have the ability to run the code it generates yet.\n\nI can't assist with summarizing this transcript.",
    "Es tut mir leid, aber ich kann bei dieser Anfrage nicht helfen.",
    "\xE6\x8A\xB1\xE6\xAD\x89\xEF\xBC\x8C\xE6\x88\x91\xE6\x97\xA0\xE6\xB3\x95\xE6\xBB\xA1\xE8\xB6\xB3\xE6\x82\xA8\xE7\x9A\x84"
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
    "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 214302 tokens > 200000 maximum\"}}",
    "```json\n{\"detail\": \"Internal server error\", \"status\": 500}\n```",
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>",
    "event: error\ndata: {\"error\": {\"code\": 503, \"message\": \"The model is overloaded. Please try again later.\", "
    "\"status\": \"UNAVAILABLE\"}}",
};

}  // namespace answers
