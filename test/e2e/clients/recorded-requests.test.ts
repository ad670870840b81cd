/**
 * Requests of clients that are not installed here, as `recorded/record.mjs` recorded them: LlamaIndex.TS and Mastra. The
 * gateway takes each of them, sends the provider what the client sent, and answers in the form that was asked for.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonReply } from "../../fakes/upstream-server.js";
import { bodySeen, chatReply, chatStream } from "../replies.js";
import { type Gateway, startGateway } from "./gateway.js";
import { OSLO_AND_ROME } from "./tool-answers.js";

interface RecordedRequest {
  readonly step: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly messages?: readonly { readonly role: string }[];
  };
}

/** The first line names the package and its version. */
const requestsOf = (client: string): readonly RecordedRequest[] => {
  const [, ...lines] = readFileSync(new URL(`recorded/${client}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

const post = ({ path, body }: RecordedRequest) => gateway.call(path, { body });

describe.each(["llamaindex", "mastra"])("The recorded requests of %s", (client) => {
  const requests = requestsOf(client);
  const step = (name: string): readonly RecordedRequest[] => requests.filter((one) => one.step === name);

  it("for chat and structured output reach the provider unchanged", async () => {
    expect([step("chat").length, step("structured").length]).toEqual([1, 1]);
    for (const request of [...step("chat"), ...step("structured")]) {
      gateway.openai.answer(chatReply({ content: "Cold." }));
      const response = await post(request);
      const { stream: _, ...sent } = request.body;
      expect(bodySeen(gateway.openai)).toEqual(sent);
      expect(response.json()).toMatchObject({
        object: "chat.completion",
        choices: [{ index: 0, message: { role: "assistant", content: "Cold." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1000, completion_tokens: 200 },
      });
    }
  });

  it("for a stream get OpenAI's chunks", async () => {
    gateway.openai.answer(chatStream([{ role: "assistant", content: "Co" }, { content: "ld." }]));
    const [request] = step("stream");
    if (request === undefined) throw new Error("no stream was recorded");
    const response = await post(request);
    expect(bodySeen(gateway.openai)).toMatchObject(request.body);
    const events = response.text.trim().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.replace(/^data: /, "")));
    expect(chunks.every(({ choices }) => choices.length > 0)).toBe(true);
    expect(chunks.map(({ choices: [choice] }) => choice.delta.content ?? "").join("")).toBe("Cold.");
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: "stop" }],
      usage: { prompt_tokens: 1000 },
    });
  });

  it("for a tool loop get the calls, and their results reach the provider", async () => {
    const [first, second] = step("tools");
    if (first === undefined || second === undefined) throw new Error("no loop was recorded");
    gateway.openai.answer(chatReply({ content: null, tool_calls: OSLO_AND_ROME }, "tool_calls"));
    const called: unknown = (await post(first)).json();
    expect(called).toMatchObject({
      choices: [{ finish_reason: "tool_calls", message: { tool_calls: OSLO_AND_ROME } }],
    });
    gateway.openai.answer(chatReply({ content: "Cold." }));
    expect((await post(second)).status).toBe(200);
    const { messages } = bodySeen(gateway.openai) as RecordedRequest["body"];
    expect(messages).toEqual(second.body.messages);
    expect(messages?.filter(({ role }) => role === "tool")).toHaveLength(2);
  });
});

it("The embeddings requests of LlamaIndex.TS reach the provider unchanged", async () => {
  const request = requestsOf("llamaindex").find(({ step }) => step === "embeddings");
  if (request === undefined) throw new Error("no embeddings were recorded");
  const vector = Buffer.from(Float32Array.of(0.5, 1).buffer).toString("base64");
  const data = [0, 1].map((index) => ({ object: "embedding", index, embedding: vector }));
  gateway.openai.answer(jsonReply({ object: "list", data, usage: { prompt_tokens: 9, total_tokens: 9 } }));
  const list: unknown = (await post(request)).json();
  expect(bodySeen(gateway.openai)).toEqual(request.body);
  expect(list).toMatchObject({ data });
});
