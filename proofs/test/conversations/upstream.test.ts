import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { SimulatedProvider } from "../../conversations/upstream.js";

/** 1,004 estimated tokens, 1,104 of the vendor's. */
const long = { role: "system", content: "x".repeat(4_000) };
const hello = { role: "user", content: "Hello" };
const more = [long, hello, { role: "assistant", content: "Hi!" }, { role: "user", content: "And now?" }];

function vendor(id: string, { marksCache = true } = {}) {
  let nowMs = 0;
  const provider = new SimulatedProvider(id, {
    circumstances: () => ({ nowMs, marksCache, inToolLoop: false, answerTokens: () => 10 }),
    random: () => 0.5,
  });
  return {
    wait(ms: number) {
      nowMs += ms;
    },
    async ask(messages: readonly JsonObject[], model = "m") {
      const call = { upstreamModel: model, api: "chat", body: { messages }, stream: false } as const;
      const reply = await provider.send(call);
      if (reply.kind !== "completion" || reply.usage === null) throw new TypeError("a whole answer");
      return reply.usage;
    },
  };
}

describe("A simulated vendor", () => {
  it("reads the longest prompt before from its cache, in steps", async () => {
    const openai = vendor("openai");
    expect(await openai.ask([long, hello])).toMatchObject({ promptTokens: 1111, cacheReadTokens: 0 });
    expect(await openai.ask(more)).toMatchObject({ cacheReadTokens: 1024, cacheWriteTokens: 0 });
    expect(await openai.ask(more, "another")).toMatchObject({ cacheReadTokens: 0 });
  });

  it("forgets it after its lifetime, and short prompts at once", async () => {
    const openai = vendor("openai");
    await openai.ask([long, hello]);
    openai.wait(10 * 60_000);
    expect(await openai.ask(more)).toMatchObject({ cacheReadTokens: 0 });
    await openai.ask([hello]);
    expect(await openai.ask([hello])).toMatchObject({ cacheReadTokens: 0 });
  });

  it("caches for Anthropic only what the client marks, and bills writing it", async () => {
    const anthropic = vendor("anthropic");
    expect(await anthropic.ask([long, hello])).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 1111 });
    const { promptTokens, cacheReadTokens, cacheWriteTokens } = await anthropic.ask(more);
    expect([cacheReadTokens, cacheWriteTokens]).toEqual([1111, promptTokens - 1111]);
    const unmarked = vendor("anthropic", { marksCache: false });
    await unmarked.ask([long, hello]);
    expect(await unmarked.ask(more)).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 });
  });
});
