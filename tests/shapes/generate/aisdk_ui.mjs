// SPDX-License-Identifier: BSL-1.0
import { DefaultChatTransport, convertToModelMessages, isStepCount, streamText, toUIMessageStream } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { contents, finished, toolset } from "./aisdk.mjs";

/** A step as the chunks in which a model streams it. */
function chunks({ content, finish }, step) {
  const out = [{ type: "stream-start", warnings: [] }];
  content.forEach((part, place) => {
    const id = `${step}-${place}`;
    if (part.type === "tool-call") return out.push(part);
    const metadata = part.providerMetadata ? { providerMetadata: part.providerMetadata } : {};
    out.push({ type: `${part.type}-start`, id }, { type: `${part.type}-delta`, id, delta: part.text }, { type: `${part.type}-end`, id, ...metadata });
  });
  return [...out, { type: "finish", ...finished(finish) }];
}

/** One assistant message holds all rounds of a turn, so most conversations ask again after each round. */
function asked_again(scenario) {
  if (scenario.number % 3 === 0) return scenario.turns;
  return scenario.turns.flatMap((turn) => turn.rounds.length < 2 ? [turn] : turn.rounds.map((round, step) => ({
    user: step ? { text: `Go on, and mind that ${scenario.writer.phrase()}.` } : turn.user, rounds: [round],
    final: step === turn.rounds.length - 1 ? turn.final : undefined })));
}

/** UI messages, in the body that the chat transport sends. In the eighth a tool is run by the browser, and still open. */
export async function aisdk_ui(scenario) {
  let messages = [{ id: `sys-${scenario.number}`, role: "system", parts: [{ type: "text", text: scenario.system }] }];
  const turns = asked_again(scenario);
  const tools = toolset(scenario, { dynamic: scenario.number % 2 === 1 });
  for (const [place, turn] of turns.entries()) {
    const last = place === turns.length - 1;
    messages.push({ id: `user-${scenario.number}-${place}`, role: "user", parts: [{ type: "text", text: turn.user.text },
      ...(turn.user.image ? [{ type: "file", mediaType: "image/png", filename: "photo.png", url: `data:image/png;base64,${turn.user.image}` }] : [])] });
    const steps = contents(turn);
    if (!steps.length) continue;
    const model = new MockLanguageModelV4({ doStream: steps.map((step, number) => ({ stream: convertArrayToReadableStream(chunks(step, number)) })) });
    const mine = scenario.number === 8 && last ? toolset(scenario, { without: turn.rounds.at(-1).calls.at(-1).name }) : tools;
    const result = streamText({ model, instructions: scenario.system, tools: mine, stopWhen: isStepCount(steps.length), onError() {},
      messages: await convertToModelMessages(messages.slice(1), { tools: mine }) });
    await new Promise((resolve, reject) => {
      const stream = toUIMessageStream({ stream: result.stream ?? result.fullStream, tools: mine, originalMessages: messages,
        generateMessageId: () => `msg-${scenario.number}-${place}`, redactToolErrors: false,
        onEnd(end) { messages = end.messages; resolve(); } });
      (async () => { for await (const chunk of stream); })().catch(reject);
    });
  }
  let body;
  const transport = new DefaultChatTransport({ api: "http://127.0.0.1:9/api/chat", fetch: async (url, request) => {
    body = request.body;
    return new Response("data: [DONE]\n\n", { status: 200, headers: { "content-type": "text/event-stream" } });
  } });
  await transport.sendMessages({ chatId: `chat-${scenario.number}`, messages, trigger: "submit-message", messageId: undefined });
  return body;
}
