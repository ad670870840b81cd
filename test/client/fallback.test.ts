import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type ChatCompletionChunk, Sextant, triedModels } from "../../src/client/index.js";
import { eventReply, type Script, UpstreamServer } from "../fakes/upstream-server.js";
import { rejectionOf } from "../support/errors.js";
import { FAULTS, type Fault, matrixTable } from "./faults.js";
import { answerFrom, chunkOf, event, failure, refusal, silence, streamOf } from "./gateway-replies.js";

let gateway: UpstreamServer;
let client: Sextant;
let scripts: Record<string, Script>;

beforeAll(async () => {
  gateway = await UpstreamServer.start();
  gateway.answer((exchange) => scripts[askedModel(exchange.request.body)]?.(exchange));
});
afterAll(() => gateway.close());
afterEach(() => {
  vi.useRealTimers();
});
beforeEach(() => {
  gateway.requests.length = 0;
  scripts = { first: refusal, second: answerFrom("second"), third: answerFrom("third") };
  client = new Sextant(connection());
});

/** What takes no more than a moment must never run into the time limit, however busy the machine is. */
const connection = () => ({
  apiKey: "pk_live_test",
  baseURL: `${gateway.origin}/v1`,
  timeout: 30_000,
  logLevel: "off" as const,
});

/** The client's time passes while the gateway is silent, and only then: nobody waits for a time limit. */
function untilGivenUp(script: Script): Script {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return async (exchange) => {
    let isOpen = true;
    void exchange.closed.then(() => {
      isOpen = false;
    });
    await script(exchange);
    while (isOpen && vi.isFakeTimers()) {
      vi.advanceTimersByTime(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
}

const scriptOf = ({ script, code }: Fault): Script => (code === "timeout" ? untilGivenUp(script) : script);

const messages = [{ role: "user" as const, content: "hi" }];
const ask = { model: "first", messages, fallbacks: ["second", "third"] };

const askedModel = (body: string) => (JSON.parse(body) as { model: string }).model;
const asked = () => gateway.requests.map(({ body }) => askedModel(body));

/** The text of a whole answer or of a stream, and the model that says it wrote it. */
async function answered(stream: boolean, body: object = ask): Promise<{ text: string; model: string }> {
  if (!stream) {
    const { choices, model } = await client.chat.completions.create(body as typeof ask);
    return { text: choices[0]?.message.content ?? "", model };
  }
  const parts: ChatCompletionChunk[] = [];
  for await (const part of await client.chat.completions.create({ ...(body as typeof ask), stream })) {
    parts.push(part);
  }
  return {
    text: parts.map(({ choices }) => choices[0]?.delta.content ?? "").join(""),
    model: [...new Set(parts.map(({ model }) => model))].join(" and "),
  };
}

const errorOf = (work: Promise<unknown>) => rejectionOf(work, Error);

const forms = [
  { form: "a whole answer", stream: false, of: "whole" },
  { form: "a stream", stream: true, of: "stream" },
] as const;

describe.each(forms)("Client fallbacks of $form", ({ stream, of }) => {
  const faults = FAULTS.filter((fault) => fault.of === "both" || fault.of === of);
  const passing = faults.filter(({ outcome }) => outcome === "next");
  const final = faults.filter(({ outcome }) => outcome === "throw");

  it.each(passing)("call the next model after $name", async (fault) => {
    scripts.first = scriptOf(fault);
    expect(await answered(stream)).toEqual({ text: "Hello!", model: "second" });
    expect(asked()).toEqual(["first", "second"]);
  });

  it.each(passing)("throw the last model's error when all fail, by $name", async (fault) => {
    const script = scriptOf(fault);
    Object.assign(scripts, { first: script, second: script, third: script });
    client = client.withOptions({ maxRetries: 0 });
    const error = await errorOf(answered(stream));
    expect(error).toBeInstanceOf(OpenAI.APIError);
    const tried = triedModels(error);
    expect(tried.map(({ model }) => model)).toEqual(["first", "second", "third"]);
    expect(new Set(tried.map((attempt) => attempt.code))).toEqual(new Set([fault.code]));
  });

  it.each(final)("throw $name at once", async ({ script }) => {
    scripts.first = script;
    expect(await errorOf(answered(stream))).toBeInstanceOf(Error);
    expect(asked()).toEqual(["first"]);
  });

  it.each(final)("throw $name of a fallback at once", async ({ script }) => {
    scripts.second = script;
    await errorOf(answered(stream));
    expect(asked()).toEqual(["first", "second"]);
  });

  it("default to those of the client, and are never sent to the gateway, which would apply them again", async () => {
    client = client.withOptions({ fallbacks: ["third"] });
    expect((await answered(stream, { model: "first", messages })).model).toBe("third");
    expect(gateway.requests.map(({ body }) => "fallbacks" in JSON.parse(body))).toEqual([false, false]);
  });

  it("are disabled by an empty list", async () => {
    client = new Sextant({ ...connection(), fallbacks: ["third"], maxRetries: 0 });
    const error = await errorOf(answered(stream, { model: "first", messages, fallbacks: [] }));
    expect([error, asked()]).toEqual([expect.any(OpenAI.APIConnectionError), ["first"]]);
  });

  it("call each model once, however often it is listed", async () => {
    await answered(stream, { ...ask, fallbacks: ["first", "second", "second"] });
    expect(asked()).toEqual(["first", "second"]);
  });

  it("retry only the last model", async () => {
    let times = 0;
    const overloaded = failure(503, "overloaded", {}, { headers: { "retry-after-ms": "1" } });
    scripts.first = overloaded;
    scripts.second = (exchange) => (times++ === 0 ? overloaded : answerFrom("second"))(exchange);
    expect((await answered(stream, { ...ask, fallbacks: ["second"] })).model).toBe("second");
    expect(asked()).toEqual(["first", "second", "second"]);
  });

  it("stop when the caller aborts", async () => {
    const caller = new AbortController();
    scripts.first = () => caller.abort();
    const options = { signal: caller.signal };
    const error = await errorOf(client.chat.completions.create({ ...ask, stream } as typeof ask, options));
    expect(error).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(asked()).toEqual(["first"]);
  });
});

describe("A client stream with fallbacks", () => {
  it("passes on nothing of a failed model, not even its role", async () => {
    scripts.first = eventReply([chunkOf("first", { role: "assistant" })], { ending: "reset" });
    const parts = [];
    for await (const part of await client.chat.completions.create({ ...ask, stream: true })) parts.push(part);
    expect(parts.map(({ model }) => model)).not.toContain("first");
    expect(parts[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
  });

  it.each([
    ["a text", { content: "x" }],
    ["a tool call", { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f" } }] }],
    ["a refusal", { refusal: "no" }],
    ["a reasoning text", { reasoning_content: "hm" }],
  ])("treats %s as content, after which it does not fall back", async (_, delta) => {
    scripts.first = eventReply([chunkOf("first", delta)], { ending: "reset" });
    const stream = await client.chat.completions.create({ ...ask, stream: true });
    const parts: ChatCompletionChunk[] = [];
    const read = async () => {
      for await (const part of stream) parts.push(part);
    };
    expect(await errorOf(read())).toBeInstanceOf(Error);
    expect(parts[0]?.choices[0]?.delta).toMatchObject(delta);
    expect(asked()).toEqual(["first"]);
  });

  it("accepts an answer that ends without content", async () => {
    scripts.first = eventReply([chunkOf("first", {}, "stop"), "data: [DONE]\n\n"]);
    expect(await answered(true)).toEqual({ text: "", model: "first" });
  });

  it("closes the connection when iteration stops early", async () => {
    let closed: Promise<void> | undefined;
    scripts.second = (exchange) => {
      closed = exchange.closed;
      return eventReply(streamOf("second").slice(0, 2), { ending: "stall" })(exchange);
    };
    for await (const part of await client.chat.completions.create({ ...ask, stream: true })) {
      if (part.choices[0]?.delta.content) break;
    }
    expect(closed).toBeInstanceOf(Promise);
    await closed;
  });

  it("falls back for text completions too", async () => {
    const request = { model: "first", prompt: "hi", fallbacks: ["second"] };
    const stream = await client.completions.create({ ...request, stream: true });
    let text = "";
    for await (const part of stream) text += part.choices[0]?.text ?? "";
    expect([text, asked()]).toEqual(["Hello!", ["first", "second"]]);
  });
});

describe("Client fallbacks of whole answers", () => {
  it("return the reply of the model that answered", async () => {
    const { data, response } = await client.chat.completions.create(ask).withResponse();
    expect([data.model, response.status]).toEqual(["second", 200]);
    const raw = await client.chat.completions.create(ask).asResponse();
    expect(await raw.json()).toMatchObject({ model: "second" });
  });

  it("give each model the whole timeout", async () => {
    Object.assign(scripts, { first: untilGivenUp(silence), second: untilGivenUp(silence) });
    expect((await answered(false)).model).toBe("third");
  });
});

describe("The fallback matrix", () => {
  it("is documented in docs/client.md as it is tested here", () => {
    expect(readFileSync("docs/client.md", "utf8")).toContain(matrixTable());
  });

  it("ignores events that are not part of the answer", async () => {
    scripts.first = eventReply([": hello\n\n", event({ choices: [] }), ...streamOf("first")]);
    expect((await answered(true)).text).toBe("Hello!");
  });
});
