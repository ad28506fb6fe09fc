// SPDX-License-Identifier: BSL-1.0
// Vercel AI SDK: pruneMessages as its reference shows it.

import { pruneMessages } from "ai";
import { drive, timed } from "./driver.mjs";

function native(messages) {
  const names = new Map();
  return messages.map((message) => {
    const { role, content } = message;
    if (role === "tool") {
      const id = message.tool_call_id;
      const output = { type: "text", value: content };
      return { role, content: [{ type: "tool-result", toolCallId: id, toolName: names.get(id), output }] };
    }
    if (role !== "assistant" || !message.tool_calls) return { role, content };
    const parts = content ? [{ type: "text", text: content }] : [];
    for (const { id, function: called } of message.tool_calls) {
      names.set(id, called.name);
      parts.push({ type: "tool-call", toolCallId: id, toolName: called.name, input: JSON.parse(called.arguments) });
    }
    return { role, content: parts };
  });
}

function plain(messages) {
  return messages.flatMap(({ role, content }) => {
    if (typeof content === "string") return [{ role, content }];
    if (role === "tool")
      return content.map((part) => ({ role, tool_call_id: part.toolCallId, content: part.output.value }));
    const said = content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    const calls = content
      .filter((part) => part.type === "tool-call")
      .map((part) => ({
        id: part.toolCallId,
        type: "function",
        function: { name: part.toolName, arguments: JSON.stringify(part.input) },
      }));
    return [{ role, content: said, ...(calls.length ? { tool_calls: calls } : {}) }];
  });
}

await drive({
  prune: async (messages) => {
    const given = native(messages);
    const sent = await timed(() =>
      pruneMessages({
        messages: given,
        reasoning: "before-last-message",
        toolCalls: "before-last-2-messages",
        emptyMessages: "remove",
      }),
    );
    return plain(sent);
  },
});
