// SPDX-License-Identifier: BSL-1.0
import { Ollama } from "ollama";
import { Wire, play } from "./wire.mjs";

/** Ollama's chat: arguments are an object, a result names its tool, images stand beside the text. */
export async function ollama(scenario) {
  const wire = new Wire();
  const client = new Ollama({ host: "http://127.0.0.1:9", fetch: wire.fetch });
  const messages = [{ role: "system", content: scenario.system }];
  const send = async (message) => {
    wire.answers.push({ model: "qwen3:8b", created_at: "2026-03-14T06:00:00Z", done: true, done_reason: "stop", message });
    return (await client.chat({ model: "qwen3:8b", messages, think: true, stream: false,
      tools: scenario.tools.map((tool) => ({ type: "function", function: tool })) })).message;
  };
  return play(scenario, wire, {
    ask: (user) => messages.push({ role: "user", content: user.text, ...(user.image ? { images: [user.image] } : {}) }),
    async answer(round) {
      messages.push(await send({ role: "assistant", content: round.text ?? "", thinking: round.thinking,
        tool_calls: round.calls.map((call) => ({ function: { name: call.name, arguments: call.args } })) }));
    },
    results(round) {
      for (const call of round.calls)
        messages.push({ role: "tool", tool_name: call.name, content: call.result.error ? `error: ${call.result.text}` : call.result.text,
          ...(call.result.image && scenario.number % 2 ? { images: [call.result.image] } : {}) });
    },
    finish: async (final) => messages.push(await send({ role: "assistant", content: final.text, thinking: final.thinking })),
    close: () => send({ role: "assistant", content: "." }),
  });
}
