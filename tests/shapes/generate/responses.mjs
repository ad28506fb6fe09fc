// SPDX-License-Identifier: BSL-1.0
import OpenAI from "openai";
import { Wire, play } from "./wire.mjs";

/** The items of the Responses API, as they come back with `store: false` and encrypted reasoning. */
export async function responses(scenario) {
  const wire = new Wire();
  const client = new OpenAI({ apiKey: "none", fetch: wire.fetch, maxRetries: 0 });
  const own = scenario.number % 3 === 0;  // an item instead of the member `instructions`
  const input = own ? [{ type: "message", role: "developer", content: [{ type: "input_text", text: scenario.system }] }] : [];
  const request = { model: "gpt-5.1", input, store: false, include: ["reasoning.encrypted_content"],
    ...(own ? {} : { instructions: scenario.system }), parallel_tool_calls: true,
    tools: [...scenario.tools.map((tool) => ({ type: "function", strict: false, ...tool })),
      { type: "custom", name: "note", description: "Keeps a line of text." }, { type: "web_search" }] };
  const send = async (output) => {
    wire.answers.push({ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "gpt-5.1", output,
      error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true, tool_choice: "auto", tools: [] });
    // The client adds what it parsed for its own use to the items; the API takes what it sent.
    return (await client.responses.create(request)).output.map(({ parsed_arguments, ...item }) => item);
  };
  const reasoning = (from) => ({ id: `rs_${from.item}`, type: "reasoning",
    summary: from.item.charCodeAt(0) % 2 ? [{ type: "summary_text", text: from.thinking }] : [], encrypted_content: from.signature });
  const message = (id, text) => ({ id: `msg_${id}`, type: "message", role: "assistant", status: "completed",
    content: [{ type: "output_text", text, annotations: [], logprobs: [] }] });
  const is_note = (round, step) => step === 1 && round.calls.length > 1;
  return play(scenario, wire, {
    ask: (user, turn) => input.push(user.image
      ? { type: "message", role: "user", content: [{ type: "input_text", text: user.text },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${user.image}` }] }
      : { role: "user", content: turn % 2 ? user.text : [{ type: "input_text", text: user.text }] }),
    async answer(round, turn, step) {
      const items = [reasoning(round)];
      if (scenario.number % 4 === 1 && step === 0)
        items.push({ id: `ws_${round.item}`, type: "web_search_call", status: "completed",
          action: { type: "search", query: round.calls[0].name, queries: [round.calls[0].name] } });
      if (round.text) items.push(message(round.item, round.text));
      for (const call of round.calls)
        items.push({ id: `fc_${call.id}`, type: "function_call", status: "completed", call_id: `call_${call.id}`,
          name: call.name, arguments: JSON.stringify(call.args) });
      if (is_note(round, step))
        items.push({ id: `ctc_${round.item}`, type: "custom_tool_call", call_id: `call_${round.item}`, name: "note", input: round.thinking });
      input.push(...await send(items));
    },
    results(round, turn, step) {
      for (const call of round.calls) {
        const { result } = call;
        input.push({ type: "function_call_output", call_id: `call_${call.id}`, output: result.image
          ? [{ type: "input_text", text: result.text },
             { type: "input_image", detail: "low", image_url: `data:image/png;base64,${result.image}` }]
          : result.error ? JSON.stringify({ error: result.text }) : result.text });
      }
      if (is_note(round, step))
        input.push({ type: "custom_tool_call_output", call_id: `call_${round.item}`, output: "kept" });
    },
    finish: async (final) => input.push(...await send([reasoning(final), message(final.item, final.text)])),
    close: () => send([]),
  });
}
