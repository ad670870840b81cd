/** `POST /v1/completions`: each field of the request and of the answer, whole and streamed. */
import { describe, expect, it } from "vitest";
import { textCompletionSchema } from "../../../../src/gateway/api/completion.js";
import { chunk, streamedAnswer, USAGE, wholeAnswer } from "../../../fakes/inference.js";
import { errorOf, eventsOf, NOW_MS, post, startTestServer } from "../../server.js";

const { app, inference } = startTestServer();

const send = (payload: object) => post(app, "/v1/completions", { payload });
const ask = { model: "gpt-4o-mini", prompt: "Once upon a time" };

async function asked(body: object) {
  const response = await send({ ...ask, ...body });
  expect(response.statusCode, response.body).toBe(200);
  const run = inference.runs.at(-1);
  if (run === undefined) throw new Error("inference was not asked");
  return run.request;
}

async function refusal(body: object) {
  const error = await errorOf(send({ ...ask, ...body }));
  expect(JSON.stringify(error)).not.toContain("Once upon");
  return error;
}

describe("The request of POST /v1/completions", () => {
  it("becomes a chat request whose only user message is `prompt`, as a string or a list of one", async () => {
    for (const prompt of ["Once upon a time", ["Once upon a time"], ""]) {
      const request = await asked({ prompt });
      expect(request).toMatchObject({ kind: "completion", choice: { type: "named", model: "gpt-4o-mini" } });
      expect(request.body.messages).toEqual([{ role: "user", content: [prompt].flat()[0] }]);
      expect(request.body).not.toHaveProperty("prompt");
    }
  });

  it.each([
    ["several texts", ["a", "b"], ["a", "b"]],
    ["token ids", [15496, 11], ["(2 token ids)"]],
    ["several lists of token ids", [[15496, 11], [1]], ["(2 token ids)", "(1 token ids)"]],
    ["an empty text among several", ["a", ""], ["a", ""]],
  ])("passes as `prompt` %s to models with `api: completions` unchanged", async (_, prompt, texts) => {
    const { body, needsCompletions } = await asked({ prompt });
    expect(body.prompt).toEqual(prompt);
    expect(body.messages.map(({ content }) => content)).toEqual(texts);
    expect(needsCompletions?.param).toBe("prompt");
  });

  it.each([
    ["prompt", undefined, "is missing: it must be a text, or a list of 1 to 2048 texts"],
    ["prompt", [], "is an empty list: it must be a text, or a list of 1 to 2048 texts"],
    ["prompt[0]", [-1], "it must be a token id"],
    ["prompt[0][0]", [["a"]], "it must be a token id"],
    ["prompt[1]", ["a", 1], "it must be a text, or a list of token ids"],
    ["prompt[1]", ["a", []], "is an empty list: it must be a text, or a list of token ids"],
  ])("refuses at %s: %j", async (param, prompt, words) => {
    const refused = await refusal({ prompt });
    expect(refused.param).toBe(param);
    expect(refused.message).toContain(words);
  });

  it("has a default `max_tokens` of 1024", async () => {
    expect((await asked({})).body.max_tokens).toBe(1024);
    expect((await asked({ max_tokens: null })).body.max_tokens).toBe(1024);
    expect((await asked({ max_tokens: 7 })).body.max_tokens).toBe(7);
    expect((await refusal({ max_tokens: 0 })).param).toBe("max_tokens");
  });

  it.each([
    ["temperature", 1.5, 2.5],
    ["top_p", 0.5, 1.5],
    ["n", 3, 0],
    ["frequency_penalty", 1, -3],
    ["stop", ["\n"], 1],
    ["logit_bias", { "50256": -100 }, undefined],
    ["stream_options", { include_usage: true }, undefined],
    ["top_k", 40, undefined],
  ])("passes `%s` to inference unchanged", async (field, accepted, refused) => {
    expect((await asked({ [field]: accepted })).body[field]).toEqual(accepted);
    if (refused !== undefined) expect((await refusal({ [field]: refused })).param).toBe(field);
  });

  it("passes `stream`, `provider`, `fallbacks` and `metadata` to inference beside the body", async () => {
    const beside = { stream: true, fallbacks: ["b"], metadata: { team: "search" } };
    const request = await asked({ ...beside, provider: "azure" });
    expect(request).toMatchObject({ ...beside, choice: { provider: "azure" } });
    expect(Object.keys(request.body).sort()).toEqual(["max_tokens", "messages"]);
  });

  it("maps the number in `logprobs` to chat's two fields", async () => {
    expect((await asked({ logprobs: 2 })).body).toMatchObject({ logprobs: true, top_logprobs: 2 });
    expect((await asked({ logprobs: 0 })).body).toMatchObject({ logprobs: true, top_logprobs: 0 });
    expect((await asked({ logprobs: null })).body).not.toHaveProperty("logprobs");
    expect((await refusal({ logprobs: true })).message).toBe(
      "`logprobs` is true: it must be a whole number from 0 to 5.",
    );
  });

  it.each([
    ["suffix", ["", null], "The end.", 1],
    ["echo", [false, null], true, "yes"],
    ["best_of", [1, null], 3, 21],
  ])(
    "passes `%s` to models with `api: completions`, unless its value has no effect",
    async (field, nothing, value, wrong) => {
      for (const harmless of nothing) {
        const request = await asked({ [field]: harmless });
        expect(request.body).not.toHaveProperty(field);
        expect(request).not.toHaveProperty("needsCompletions");
      }
      const { body, needsCompletions } = await asked({ [field]: value });
      expect([body[field], needsCompletions?.param]).toEqual([value, field]);
      expect((await refusal({ [field]: wrong })).param).toBe(field);
    },
  );

  it.each([
    [{ model: "auto", echo: true }, "which needs a model with `api: completions`. Name one as `model`."],
    [{ messages: [] }, "is not a field of this route. Send a `prompt`, or use POST /v1/chat/completions."],
    [{ promt: "x" }, "is not a field of this route. Did you mean `prompt`?"],
  ])("refuses %j with a hint", async (body, hint) => {
    expect((await refusal(body)).message).toContain(hint);
  });
});

describe("The answer of POST /v1/completions", () => {
  it("has exactly this body", async () => {
    const response = await send(ask);
    const requestId = String(response.headers["x-request-id"]);
    expect(response.json()).toEqual({
      id: `cmpl-${requestId.slice(4)}`,
      object: "text_completion",
      created: Math.floor(NOW_MS / 1000),
      model: "gpt-4o-mini",
      provider: "openai",
      choices: [{ text: "Hello!", index: 0, logprobs: null, finish_reason: "stop" }],
      system_fingerprint: "fp_1",
      usage: USAGE,
      request_id: requestId,
    });
    expect(textCompletionSchema.parse(response.json())).toEqual(response.json());
  });

  it("has `choices` with their text and finish reason each, and an empty text without content", async () => {
    const refused = { role: "assistant", content: null, refusal: "no" };
    const choices = [
      { index: 0, message: { role: "assistant", content: "a" }, finish_reason: "length" },
      { index: 1, message: refused, finish_reason: "content_filter" },
    ];
    inference.outcomes.push(wholeAnswer({ completion: { choices } }));
    expect((await send({ ...ask, n: 2 })).json().choices).toEqual([
      { text: "a", index: 0, logprobs: null, finish_reason: "length" },
      { text: "", index: 1, logprobs: null, finish_reason: "content_filter" },
    ]);
  });

  const token = (text: string, logprob: number) => ({ token: text, logprob, bytes: null });
  const chatLogprobs = {
    content: [
      { ...token("He", -0.5), top_logprobs: [token("He", -0.5), token("Hi", -1)] },
      { ...token("llo", -0.25), top_logprobs: [] },
    ],
  };
  const textLogprobs = {
    tokens: ["He", "llo"],
    token_logprobs: [-0.5, -0.25],
    top_logprobs: [{ He: -0.5, Hi: -1 }, {}],
    text_offset: [0, 2],
  };

  it.each([
    ["those of a chat are translated", chatLogprobs, textLogprobs],
    ["those of a model that cannot chat pass", textLogprobs, textLogprobs],
    ["a form that is neither is left out", { probabilities: [1] }, null],
  ])("has `logprobs`: %s", async (_, logprobs, expected) => {
    const choices = [
      { index: 0, message: { role: "assistant", content: "Hello" }, logprobs, finish_reason: "stop" },
    ];
    inference.outcomes.push(wholeAnswer({ completion: { choices } }));
    const response = await send({ ...ask, logprobs: 2 });
    expect(response.json().choices[0].logprobs).toEqual(expected);
  });
});

describe("The stream of POST /v1/completions", () => {
  it("has exactly these events: texts, figures, [DONE], and no event without text", async () => {
    const response = await send({ ...ask, stream: true });
    const requestId = String(response.headers["x-request-id"]);
    const made = { created: Math.floor(NOW_MS / 1000), model: "gpt-4o-mini", provider: "openai" };
    const head = { id: `cmpl-${requestId.slice(4)}`, object: "text_completion", ...made };
    const choice = (text: string, finish_reason: string | null = null) => [
      { text, index: 0, logprobs: null, finish_reason },
    ];
    expect(eventsOf(response.body)).toEqual([
      { ...head, choices: choice("Hel") },
      { ...head, choices: choice("lo!") },
      { ...head, choices: choice("", "stop"), usage: USAGE, request_id: requestId },
      "[DONE]",
    ]);
  });

  it("keeps the index of each of n > 1 texts, and counts offsets separately", async () => {
    const logprobs = (text: string) => ({ content: [{ token: text, logprob: -1, top_logprobs: [] }] });
    const piece = (content: string, index: number) =>
      chunk({ content }, { index, logprobs: logprobs(content) });
    inference.outcomes.push(
      streamedAnswer([
        [piece("ab", 0), piece("x", 1)],
        [piece("c", 0), piece("y", 1)],
      ]),
    );
    const response = await send({ ...ask, n: 2, logprobs: 0, stream: true });
    // biome-ignore lint/suspicious/noExplicitAny: the events are what is tested
    const events = eventsOf(response.body).slice(0, 4) as any[];
    expect(events.map(({ choices: [only] }) => [only.index, only.text, only.logprobs.text_offset])).toEqual([
      [0, "ab", [0]],
      [1, "x", [0]],
      [0, "c", [2]],
      [1, "y", [1]],
    ]);
  });
});
