// SPDX-License-Identifier: BSL-1.0
import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";
import { Wire, play } from "./wire.mjs";

const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));
const base64 = (data) => Buffer.from(data).toString("base64");

/** The Converse API. */
export async function bedrock(scenario) {
  const wire = new Wire();
  const client = new BedrockRuntimeClient({ region: "eu-central-1", credentials: { accessKeyId: "none", secretAccessKey: "none" },
    requestHandler: { async handle(request) {
      const answer = await wire.fetch("", request);
      return { response: { statusCode: 200, headers: { "content-type": "application/json" }, body: Buffer.from(await answer.arrayBuffer()) } };
    } } });
  const messages = [];
  const cache = { cachePoint: { type: "default" } };
  const request = { modelId: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", messages,
    system: scenario.number % 2 ? [{ text: scenario.system }] : [{ text: scenario.system }, cache],
    inferenceConfig: { maxTokens: 4000 },
    toolConfig: { tools: scenario.tools.map((tool) => ({ toolSpec: { name: tool.name, description: tool.description, inputSchema: { json: tool.parameters } } })) } };
  const send = async (content) => {
    wire.answers.push({ metrics: { latencyMs: 1 }, output: { message: { role: "assistant", content } }, stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } });
    return (await client.send(new ConverseCommand(request))).output.message;
  };
  const image = (data) => ({ image: { format: "png", source: { bytes: bytes(data) } } });
  const thinking = (from) => ({ reasoningContent: { reasoningText: { text: from.thinking, signature: from.signature } } });
  return play(scenario, wire, {
    ask(user, turn) {
      const content = [{ text: user.text }];
      if (user.image) content.push(image(user.image));
      if (turn === 0 && scenario.number % 3 === 0)
        content.push({ document: { format: "txt", name: "rules", source: { bytes: Buffer.from(scenario.writer.paragraph(2)) } } });
      if (turn % 4 === 1) content.push(cache);
      messages.push({ role: "user", content });
    },
    async answer(round) {
      const content = [thinking(round)];
      if (round.redacted) content.push({ reasoningContent: { redactedContent: base64(bytes(round.redacted)) } });
      if (round.text) content.push({ text: round.text });
      for (const call of round.calls) content.push({ toolUse: { toolUseId: `tooluse_${call.id}`, name: call.name, input: call.args } });
      messages.push(await send(content));
    },
    results(round, turn, step) {
      const content = round.calls.map(({ id, result }) => ({ toolResult: { toolUseId: `tooluse_${id}`, status: result.error ? "error" : "success",
        content: result.json ? [{ json: result.json }] : result.image ? [{ text: result.text }, image(result.image)] : [{ text: result.text }] } }));
      if (turn === scenario.turns.length - 1 && step === scenario.turns[turn].rounds.length - 1) content.push(cache);
      messages.push({ role: "user", content });
    },
    finish: async (final) => messages.push(await send([thinking(final), { text: final.text }])),
    close: () => send([{ text: "." }]),
  });
}
