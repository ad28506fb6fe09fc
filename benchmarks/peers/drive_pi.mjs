// SPDX-License-Identifier: BSL-1.0
// pi, the coding agent: its compaction in a session in memory, as its agent runs it before an answer.

import { compact, convertToLlm, estimateTokens, SessionManager, shouldCompact } from "@earendil-works/pi-coding-agent";
// Not exported, and what its agent calls before compact().
import { prepareCompaction } from "./node_modules/@earendil-works/pi-coding-agent/dist/core/compaction/index.js";
import { drive, summarize, timed } from "./driver.mjs";

const usage = () => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
const scripted = { api: "scripted", provider: "scripted", model: "scripted" };

function answer(text) {
  return {
    ...scripted,
    role: "assistant",
    content: [{ type: "text", text }],
    usage: usage(),
    stopReason: "stop",
    timestamp: 0,
  };
}

function model(window) {
  return {
    ...scripted,
    id: "scripted",
    name: "scripted",
    baseUrl: "",
    reasoning: false,
    input: ["text"],
    cost: usage().cost,
    contextWindow: window,
    maxTokens: Math.floor(window / 5),
  };
}

const contentText = (content) =>
  typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");

function streamed(_, context) {
  const message = answer(summarize(context.messages.map((each) => contentText(each.content)).join("\n")));
  return {
    result: async () => message,
    async *[Symbol.asyncIterator]() {
      yield { type: "done", reason: "stop", message };
    },
  };
}

function native(messages) {
  const names = new Map();
  return messages.map((message) => {
    const { role, content } = message;
    if (role === "user") return { role, content: [{ type: "text", text: content }], timestamp: 0 };
    if (role === "tool") {
      const id = message.tool_call_id;
      const text = [{ type: "text", text: content }];
      const toolName = names.get(id);
      return { role: "toolResult", toolCallId: id, toolName, content: text, isError: false, timestamp: 0 };
    }
    const made = answer(content);
    if (!content) made.content = [];
    for (const { id, function: called } of message.tool_calls ?? []) {
      names.set(id, called.name);
      made.content.push({ type: "toolCall", id, name: called.name, arguments: JSON.parse(called.arguments) });
      made.stopReason = "toolUse";
    }
    return made;
  });
}

function plain(messages) {
  return messages.map((message) => {
    if (message.role === "toolResult")
      return { role: "tool", tool_call_id: message.toolCallId, content: contentText(message.content) };
    if (message.role !== "assistant") return { role: message.role, content: contentText(message.content) };
    const said = message.content.filter((part) => part.type === "text");
    const calls = message.content
      .filter((part) => part.type === "toolCall")
      .map((part) => ({
        id: part.id,
        type: "function",
        function: { name: part.name, arguments: JSON.stringify(part.arguments) },
      }));
    return { role: "assistant", content: contentText(said), ...(calls.length ? { tool_calls: calls } : {}) };
  });
}

await drive({
  compaction: async (messages, window) => {
    const system = messages.filter((message) => message.role === "system");
    const session = SessionManager.inMemory();
    native(messages.filter((message) => message.role !== "system")).forEach((each) => session.appendMessage(each));
    const settings = { enabled: true, reserveTokens: Math.floor(window / 5), keepRecentTokens: Math.floor(window / 2) };
    const sent = await timed(async () => {
      const systemTokens = system.reduce((sum, each) => sum + Math.ceil(each.content.length / 4), 0);
      const context = session.buildSessionContext().messages;
      const tokens = context.reduce((sum, message) => sum + estimateTokens(message), systemTokens);
      const prepared = shouldCompact(tokens, window, settings) && prepareCompaction(session.getBranch(), settings);
      if (prepared) {
        const done = await compact(
          prepared, model(window), "key", undefined, undefined, undefined, undefined, streamed);
        session.appendCompaction(done.summary, done.firstKeptEntryId, done.tokensBefore, done.details);
      }
      return convertToLlm(session.buildSessionContext().messages);
    });
    return [...system, ...plain(sent)];
  },
});
