import { expect, it } from "vitest";
import type { ProviderCall, ProviderReply } from "../../src/gateway/providers/provider.js";
import { eventReply, type ReplyParts } from "../fakes/upstream-server.js";
import { type Bench, faultOf, NEVER } from "./provider.contract.js";
import { answerOf, StreamedAnswer } from "./provider-dialects/answer.js";
import type { ProviderDialect, StreamFixture } from "./provider-dialects/dialect.js";

/** Every test of a stream at every byte makes some thousand requests. */
const MANY_REQUESTS_MS = 60_000;

/** In order, in the middle of a chunk, and with a reset. */
const ENDS: readonly Pick<ReplyParts, "framing" | "ending">[] = [
  { framing: "close" },
  { ending: "cut" },
  { ending: "reset" },
];

export function providerStreamContract(dialect: ProviderDialect, bench: () => Bench): void {
  it.each(dialect.streams)("reads a stream: $name", async ({ call, bytes, answer }) => {
    bench().server.answer(eventReply(bytes));
    expect(await answerOf(await send(bench(), call))).toEqual(answer);
  });

  it.each(dialect.streams)(
    "reads the same chunks wherever the bytes are cut: $name",
    async ({ call, bytes, answer }) => {
      const whole = Buffer.from(bytes);
      for (let at = 1; at < whole.length; at++) {
        bench().server.answer(eventReply([whole.subarray(0, at), whole.subarray(at)]));
        expect(await answerOf(await send(bench(), call)), `cut after ${at} bytes`).toEqual(answer);
      }
    },
    MANY_REQUESTS_MS,
  );

  it.each(dialect.streams)(
    "reads the same chunks when bytes arrive one by one: $name",
    async ({ call, bytes, answer }) => {
      for (const framing of ["chunked", "close"] as const) {
        const body = Array.from(Buffer.from(bytes), (byte) => Buffer.of(byte));
        bench().server.answer(eventReply(body, { framing }));
        expect(await answerOf(await send(bench(), call))).toEqual(answer);
      }
    },
  );

  it.each(["\r\n", "\r"])(
    "reads the same chunks with lines that end in %j, cut anywhere",
    async (lineEnd) => {
      const [{ call, bytes, answer }] = dialect.streams;
      const whole = Buffer.from(bytes.replaceAll("\n", lineEnd));
      bench().server.answer(eventReply(Array.from(whole, (byte) => Buffer.of(byte))));
      expect(await answerOf(await send(bench(), call))).toEqual(answer);
      bench().server.answer(eventReply(whole));
      expect(await answerOf(await send(bench(), call))).toEqual(answer);
    },
  );

  it("ignores comments, unknown fields and a byte order mark", async () => {
    const [{ call, bytes, answer }] = dialect.streams;
    const noisy = bytes.replaceAll("\n\n", "\nid: 4\nretry: 10\n: a comment\nsomething\n\n\n");
    bench().server.answer(eventReply(`\uFEFF${noisy}`));
    expect(await answerOf(await send(bench(), call))).toEqual(answer);
  });

  it.each(dialect.streams)(
    "never accepts the beginning of an answer as a whole answer: $name",
    async (fixture) => {
      // In whichever way the stream ends, the dialect sees the same; the first fixture is enough to show it.
      const ends = fixture === dialect.streams[0] ? ENDS : ENDS.slice(0, 1);
      for (const end of ends) await expectNoHalfAnswers(fixture, end, bench);
    },
    MANY_REQUESTS_MS,
  );

  it.each(dialect.streams)("reports an answer without an end as cut off: $name", async ({ call, bytes }) => {
    const { server } = bench();
    const firstEvent = bytes.slice(0, bytes.indexOf("\n\n", 40) + 2);
    for (const end of ENDS) {
      server.answer(eventReply(firstEvent, end));
      expect(await faultOf(send(bench(), call).then(answerOf))).toMatchObject({
        code: "cut_off",
        retryable: true,
      });
    }
  });

  it("rejects a stream without any event", async () => {
    for (const body of ["", "\n\n", ": only a comment\n\n"]) {
      bench().server.answer(eventReply(body));
      const fault = await faultOf(send(bench(), dialect.streams[0].call).then(answerOf));
      expect(["cut_off", "invalid_reply"]).toContain(fault.code);
    }
  });

  it.each(dialect.errorEvents)("emits the chunks before an error event: $fault.code", async (errorEvent) => {
    const [{ call, bytes, answer }] = dialect.streams;
    // Somewhere in the middle, between two events.
    const at = bytes.indexOf("\n\n", bytes.length / 2) + 2;
    bench().server.answer(eventReply(bytes.slice(0, at) + errorEvent.bytes + bytes.slice(at)));
    const { content, reason } = await readUntilFailure(await send(bench(), call));
    expect(await faultOf(Promise.reject(reason))).toMatchObject(errorEvent.fault);
    expect(String(reason)).not.toContain(dialect.secretPrompt);
    expect(content).not.toBe("");
    expect(answer.choices[0]?.content.startsWith(content)).toBe(true);
  });

  it("emits the chunks before a broken connection", async () => {
    const [{ call, bytes }] = dialect.streams;
    const at = bytes.indexOf("\n\n", bytes.length / 2) + 2;
    const { server } = bench();
    server.answer(eventReply([bytes.slice(0, at)], { ending: "reset" }));
    const { content, reason } = await readUntilFailure(await send(bench(), call));
    expect(await faultOf(Promise.reject(reason))).toMatchObject({ code: "cut_off", status: 200 });
    expect(content).not.toBe("");
  });

  it("emits the chunks before an event that is nested more deeply than can be sent on", async () => {
    const [{ call, bytes }] = dialect.streams;
    const at = bytes.indexOf("\n\n", bytes.length / 2) + 2;
    const [, rest = ""] = bytes.slice(at).split("data: {", 2);
    const deep = `${bytes.slice(at).split("data: {", 1)}data: {"unknown":${"[".repeat(5000)}${"]".repeat(5000)},${rest}`;
    bench().server.answer(eventReply(bytes.slice(0, at) + deep));
    const { content, reason } = await readUntilFailure(await send(bench(), call));
    expect(await faultOf(Promise.reject(reason))).toMatchObject({ code: "invalid_reply" });
    expect(content).not.toBe("");
  });

  it("rejects an event that is too large", async () => {
    bench().server.answer(eventReply(`data: ${"x".repeat(200_000)}`));
    const fault = await faultOf(send(bench(), dialect.streams[0].call).then(answerOf));
    expect(fault).toMatchObject({ code: "reply_too_large" });
  });

  it("emits events as soon as they arrive", async () => {
    const [{ call, bytes }] = dialect.streams;
    const at = bytes.indexOf("\n\n", bytes.length / 2) + 2;
    bench().server.answer(eventReply(bytes.slice(0, at), { ending: "stall" }));
    const reply = await send(bench(), call);
    if (reply.kind !== "stream") throw new Error("no stream");
    for await (const batch of reply.batches) {
      expect(batch.length).toBeGreaterThan(0);
      break;
    }
  });
}

function send({ provider }: Bench, call: ProviderCall): Promise<ProviderReply> {
  return provider.send(call, { signal: NEVER });
}

/** However early it ends: either it fails, or the answer is the whole one; only the count may be missing. */
async function expectNoHalfAnswers(
  { call, bytes, answer }: StreamFixture,
  end: Pick<ReplyParts, "framing" | "ending">,
  bench: () => Bench,
): Promise<void> {
  const whole = Buffer.from(bytes);
  for (let at = 0; at < whole.length; at++) {
    bench().server.answer(eventReply(whole.subarray(0, at), end));
    const outcome = await send(bench(), call).then(answerOf).catch(codeOf);
    if (typeof outcome === "string")
      expect(["cut_off", "invalid_reply"], `ended after ${at} bytes`).toContain(outcome);
    else expect(outcome.choices, `ended after ${at} bytes`).toEqual(answer.choices);
  }
}

async function codeOf(reason: unknown): Promise<string> {
  return (await faultOf(Promise.reject(reason))).code;
}

async function readUntilFailure(reply: ProviderReply): Promise<{ content: string; reason: unknown }> {
  if (reply.kind !== "stream") throw new Error("no stream");
  const collected = new StreamedAnswer();
  try {
    for await (const batch of reply.batches) for (const event of batch) collected.add(event);
  } catch (reason) {
    return { content: collected.content, reason };
  }
  throw new Error("nothing failed");
}
