// SPDX-License-Identifier: BSL-1.0
import { GoogleGenAI } from "@google/genai";
import { Wire, play } from "./wire.mjs";

/** Contents with thought signatures, which stand at the first call of a step; odd conversations have ids of calls. */
export async function gemini(scenario) {
  const wire = new Wire();
  globalThis.fetch = wire.fetch;  // the client has no other place for one
  const client = new GoogleGenAI({ apiKey: "none" });
  const contents = [];
  const ids = scenario.number % 2 === 1;
  const request = { model: "gemini-3-pro-preview", contents, config: { systemInstruction: scenario.system, temperature: 1,
    thinkingConfig: { includeThoughts: true },
    tools: [{ functionDeclarations: scenario.tools.map((tool) => ({ name: tool.name, description: tool.description, parametersJsonSchema: tool.parameters })) }] } };
  const send = async (parts) => {
    wire.answers.push({ candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }] });
    return (await client.models.generateContent(request)).candidates[0].content;
  };
  const image = (data) => ({ inlineData: { mimeType: "image/png", data } });
  return play(scenario, wire, {
    ask(user, turn) {
      const parts = [{ text: user.text }];
      if (user.image) parts.unshift(image(user.image));
      if (turn === 0 && scenario.number % 4 === 0)
        parts.push({ fileData: { mimeType: "application/pdf", fileUri: `https://example.org/files/${scenario.number}` } });
      contents.push({ role: "user", parts });
    },
    async answer(round, turn, step) {
      const parts = [{ text: round.thinking, thought: true }];
      if (scenario.number % 5 === 0 && step === 0)
        parts.push({ executableCode: { language: "PYTHON", code: `print(${turn} + 2)` } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: `${turn + 2}\n` } });
      if (round.text) parts.push({ text: round.text });
      round.calls.forEach((call, place) => parts.push({ functionCall: { ...(ids ? { id: call.id } : {}), name: call.name, args: call.args },
        ...(place ? {} : { thoughtSignature: round.signature }) }));
      contents.push(await send(parts));
    },
    results: (round) => contents.push({ role: "user", parts: round.calls.map((call) => ({ functionResponse: {
      ...(ids ? { id: call.id } : {}), name: call.name,
      response: call.result.error ? { error: call.result.text } : call.result.json ?? { output: call.result.text },
      ...(call.result.image && ids ? { parts: [image(call.result.image)] } : {}) } })) }),
    finish: async (final) => contents.push(await send([{ text: final.thinking, thought: true }, { text: final.text, thoughtSignature: final.signature }])),
    close: () => send([{ text: "." }]),
  });
}
