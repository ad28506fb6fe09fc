// SPDX-License-Identifier: BSL-1.0
import Anthropic from "@anthropic-ai/sdk";
import { Wire, play } from "./wire.mjs";

/** Messages with extended thinking; the sixth and the ninth search by a tool that the provider runs itself. */
export async function anthropic(scenario) {
  const wire = new Wire();
  const client = new Anthropic({ apiKey: "none", fetch: wire.fetch, maxRetries: 0 });
  const messages = [];
  const cached = { type: "ephemeral" };
  const request = { model: "claude-sonnet-4-6", max_tokens: 16000, messages, stream: false,
    system: scenario.number % 2 ? scenario.system : [{ type: "text", text: scenario.system, cache_control: cached }],
    thinking: { type: "adaptive" },
    tools: [...scenario.tools.map((tool) => ({ name: tool.name, description: tool.description, input_schema: tool.parameters })),
      { type: "web_search_20250305", name: "web_search", max_uses: 3 }] };
  const send = async (content) => {
    wire.answers.push({ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-6", content,
      stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } });
    const { role, content: blocks } = await client.messages.create(request);
    return { role, content: blocks };
  };
  const image = (data) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });
  const thinking = (from) => ({ type: "thinking", thinking: from.thinking, signature: from.signature });
  return play(scenario, wire, {
    ask(user, turn) {
      const text = { type: "text", text: user.text };
      const last = turn === scenario.turns.length - 1;
      if (turn === 0 && scenario.number % 4 === 0)
        return messages.push({ role: "user", content: [{ type: "document", title: "Rules of the office",
          source: { type: "text", media_type: "text/plain", data: scenario.writer.paragraph(3) } }, text] });
      messages.push({ role: "user", content: user.image ? [image(user.image), text]
        : last ? [{ ...text, cache_control: cached }] : user.text });
    },
    async answer(round, turn, step) {
      const content = [thinking(round)];
      if (round.redacted) content.push({ type: "redacted_thinking", data: round.redacted });
      if (scenario.number % 3 === 0 && step === 0) {
        const id = `srvtoolu_${round.item}`;
        content.push({ type: "server_tool_use", id, name: "web_search", input: { query: scenario.writer.phrase() } },
          { type: "web_search_tool_result", tool_use_id: id, content: [{ type: "web_search_result", title: scenario.writer.phrase(),
            url: `https://example.org/${round.item}`, encrypted_content: scenario.writer.secret(120), page_age: null }] });
      }
      if (round.text) content.push({ type: "text", text: round.text });
      for (const call of round.calls) content.push({ type: "tool_use", id: `toolu_${call.id}`, name: call.name, input: call.args });
      messages.push(await send(content));
    },
    results(round, turn, step) {
      const blocks = round.calls.map((call, place) => ({ type: "tool_result", tool_use_id: `toolu_${call.id}`,
        ...(call.result.error ? { is_error: true } : {}),
        content: call.result.image ? [{ type: "text", text: call.result.text }, image(call.result.image)]
          : place ? [{ type: "text", text: call.result.text }] : call.result.text }));
      if (turn === scenario.turns.length - 1 && step === scenario.turns[turn].rounds.length - 1) blocks.at(-1).cache_control = cached;
      messages.push({ role: "user", content: blocks });
    },
    finish: async (final) => messages.push(await send([thinking(final), { type: "text", text: final.text }])),
    close: () => send([]),
  });
}
