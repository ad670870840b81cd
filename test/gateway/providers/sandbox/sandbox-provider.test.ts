import { describe, expect, it } from "vitest";
import type { ChatBody } from "../../../../src/gateway/providers/chat.js";
import type { ProviderCall, ProviderReply } from "../../../../src/gateway/providers/provider.js";
import { sandbox } from "../../../../src/gateway/providers/sandbox/sandbox-provider.js";
import { answerOf } from "../../../contracts/provider-dialects/answer.js";
import type { Answer } from "../../../contracts/provider-dialects/dialect.js";

const QUESTION = { role: "user", content: "What is the capital of France?" };

interface Asked extends Partial<Pick<ProviderCall, "stream" | "api">> {
  readonly body?: Partial<ChatBody>;
}

function ask({ body, ...rest }: Asked = {}): Promise<ProviderReply> {
  const asked = { upstreamModel: "gpt-4o-mini", api: "chat", stream: false, ...rest } as const;
  const call = { ...asked, body: { messages: [QUESTION], ...body } };
  return sandbox("sandbox").send(call, new AbortController());
}

const answer = async (body: Partial<ChatBody> = {}): Promise<Answer> => answerOf(await ask({ body }));
const texts = ({ choices }: Answer): string[] => choices.map(({ content }) => content);

const parameters = {
  type: "object",
  properties: { city: { type: "string", enum: ["Paris", "Rome"] }, days: { type: "integer", minimum: 1 } },
  required: ["city", "days"],
};
const weather = { type: "function", function: { name: "weather", parameters } };
const clock = { type: "function", function: { name: "clock" } };

describe("The sandbox", () => {
  it("says that it is not a model, which one was requested, and how to get real answers", async () => {
    const [text] = texts(await answer());
    expect(text).toMatch(/^\[sandbox\] This text was not written by a model/);
    expect(text).toContain("gpt-4o-mini");
    expect(text).toContain("SEXTANT_SANDBOX");
    expect(await ask()).toMatchObject({ completion: { model: "sandbox", object: "chat.completion" } });
  });

  it("returns the requested number of answers, each with its own text", async () => {
    const given = texts(await answer({ n: 3 }));
    expect(new Set(given).size).toBe(3);
    expect(given[1]).toMatch(/^\[sandbox\] \(answer 2 of 3\)/);
  });

  it.each([0, 129])("refuses to return %d answers", async (n) => {
    await expect(answer({ n })).rejects.toMatchObject({ code: "request_refused", upstreamParam: "n" });
  });

  it("ends before the first stop sequence", async () => {
    const { choices } = await answer({ stop: ["The request", "was not", "absent"] });
    expect(choices).toMatchObject([{ content: "[sandbox] This text ", finish: "stop" }]);
    expect(texts(await answer({ stop: "[" }))).toEqual([""]);
    expect(texts(await answer({ stop: "absent" }))).toEqual(texts(await answer()));
  });

  it("respects the token limit, counting words", async () => {
    const { choices, usage } = await answer({ max_tokens: 4 });
    expect(choices).toMatchObject([{ content: "[sandbox] This text was ", finish: "length" }]);
    expect(usage).toMatchObject({ promptTokens: 6, completionTokens: 4 });
    expect((await answer({ max_completion_tokens: 2, max_tokens: 9 })).usage?.completionTokens).toBe(2);
    const whole = (await answer()).usage?.completionTokens ?? 0;
    expect((await answer({ max_tokens: whole })).choices).toMatchObject([{ finish: "stop" }]);
    expect((await answer({ max_tokens: whole - 1 })).choices).toMatchObject([{ finish: "length" }]);
  });

  it("counts the words of all texts of the prompt and of all answers", async () => {
    const image = { type: "image_url", image_url: { url: "x" } };
    const messages = [
      { role: "system", content: "Be  brief." },
      { role: "user", content: [{ type: "text", text: "Say" }, image] },
      { role: "assistant", content: null },
    ];
    const { usage } = await answer({ messages, n: 2, max_tokens: 5 });
    expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 10, reasoningTokens: 0 });
  });

  it("calls a required tool, with valid arguments", async () => {
    const named = { type: "function", function: { name: "weather" } };
    const { choices } = await answer({ tools: [clock, weather], tool_choice: named });
    const made = { id: "call_sandbox_0", name: "weather", arguments: '{"city":"Paris","days":1}' };
    expect(choices).toEqual([{ content: "", finish: "tool_calls", toolCalls: [made] }]);
    const first = await answer({ tools: [clock, weather], tool_choice: "required" });
    expect(first.choices[0]?.toolCalls).toMatchObject([{ name: "clock", arguments: "{}" }]);
  });

  it.each(["auto", "none", undefined, { type: "function", function: { name: "unknown" } }])(
    "answers with text when the tool choice is %o",
    async (tool_choice) => {
      expect(await answer({ tools: [weather], tool_choice })).toEqual(await answer());
    },
  );

  it("answers with JSON when JSON is requested", async () => {
    const json = async (response_format: object) =>
      JSON.parse(texts(await answer({ response_format }))[0] ?? "");
    expect(await json({ type: "json_object" })).toEqual({
      sandbox: "This object was not written by a model.",
    });
    const json_schema = { name: "visit", schema: parameters };
    expect(await json({ type: "json_schema", json_schema })).toEqual({ city: "Paris", days: 1 });
    expect(texts(await answer({ response_format: { type: "text" } }))).toEqual(texts(await answer()));
  });
});

describe("A stream of the sandbox", () => {
  it.each<[string, Partial<ChatBody>]>([
    ["a text", {}],
    ["several texts", { n: 3 }],
    ["a text with a limit", { max_tokens: 7 }],
    ["an empty text", { stop: "[" }],
    ["a call", { tools: [weather], tool_choice: "required" }],
    ["JSON", { response_format: { type: "json_object" } }],
  ])("adds up to the whole answer, which is that of a legacy completion too: %s", async (_, body) => {
    expect(await answerOf(await ask({ body, api: "completions" }))).toEqual(await answer(body));
    expect(await answerOf(await ask({ body, stream: true }))).toEqual(await answer(body));
  });

  it("has a few words per chunk, alternating choices, and the usage last", async () => {
    const reply = await ask({ body: { n: 2, max_tokens: 4 }, stream: true });
    if (reply.kind !== "stream") throw new Error("it is no stream");
    const seen: unknown[] = [];
    for await (const [event] of reply.batches) {
      const choice = event?.chunk?.choices[0];
      seen.push(choice?.delta.content ?? event?.usage?.completionTokens ?? `end ${choice?.index}`);
    }
    const first = [1, 2].map((answer) => `[sandbox] (answer ${answer} `);
    expect(seen).toEqual(["", "", ...first, "of ", "of ", "end 0", "end 1", 8]);
  });

  it("ends with the signal's reason once it is aborted", async () => {
    const controller = new AbortController();
    const call = { upstreamModel: "m", api: "chat", body: { messages: [QUESTION] }, stream: true } as const;
    const send = () => sandbox("sandbox").send(call, controller);
    const reply = await send();
    if (reply.kind !== "stream") throw new Error("it is no stream");
    const batches = reply.batches[Symbol.asyncIterator]();
    await batches.next();
    controller.abort(new Error("changed my mind"));
    await expect(batches.next()).rejects.toThrow("changed my mind");
    await expect(send()).rejects.toThrow("changed my mind");
  });
});
