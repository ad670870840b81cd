import { expect, it } from "vitest";
import type { ProviderCall, ProviderReply } from "../../src/gateway/providers/provider.js";
import { eventReply, type ReplyParts } from "../fakes/upstream-server.js";
import { type Bench, faultOf, NEVER } from "./provider.contract.js";
import { answerOf, StreamedAnswer } from "./provider-dialects/answer.js";
import { type ProviderDialect, SECRET } from "./provider-dialects/dialect.js";

/** In order, in the middle of a chunk, and with a reset. */
const ENDS: readonly Pick<ReplyParts, "framing" | "ending">[] = [
  { framing: "close" },
  { ending: "cut" },
  { ending: "reset" },
];

/** The contract of the dialects' streams. How bytes become events, however cut, is tested with the parser of events. */
export function providerStreamContract(dialect: ProviderDialect, bench: () => Bench): void {
  const [{ call, bytes, answer }] = dialect.streams;
  // Somewhere in the middle, between two events.
  const middle = bytes.indexOf("\n\n", bytes.length / 2) + 2;
  const [begun, rest] = [bytes.slice(0, middle), bytes.slice(middle)];

  it.each(dialect.streams)("reads a stream: $name", async ({ call, bytes, answer }) => {
    bench().server.answer(eventReply(bytes));
    expect(await answerOf(await send(bench(), call))).toEqual(answer);
  });

  it.each(dialect.streams)(
    "never accepts the beginning of an answer as a whole answer: $name",
    async ({ call, bytes, answer }) => {
      // In whichever way the stream ends, the dialect sees the same.
      for (const [index, at] of beginningsOf(bytes).entries()) {
        bench().server.answer(eventReply(bytes.slice(0, at), ENDS[index % ENDS.length]));
        const outcome = await send(bench(), call).then(answerOf).catch(codeOf);
        // Only the count may be missing.
        if (typeof outcome === "string") expect(["cut_off", "invalid_reply"]).toContain(outcome);
        else expect(outcome.choices, `ended after ${at} characters`).toEqual(answer.choices);
      }
    },
  );

  it.each(dialect.streams)("reports an answer without an end as cut off: $name", async ({ call, bytes }) => {
    const firstEvent = bytes.slice(0, bytes.indexOf("\n\n", 40) + 2);
    for (const end of ENDS) {
      bench().server.answer(eventReply(firstEvent, end));
      const fault = await faultOf(send(bench(), call).then(answerOf));
      expect(fault).toMatchObject({ code: "cut_off", retryable: true });
    }
  });

  const deep = rest.replace("data: {", `data: {"unknown":${"[".repeat(5000)}${"]".repeat(5000)},`);
  it.each<[string, ReplyParts & { readonly body: string }, object]>([
    ["a broken connection", { body: begun, ending: "reset" }, { code: "cut_off", status: 200 }],
    ["an event nested more deeply than can be sent on", { body: begun + deep }, { code: "invalid_reply" }],
    ...dialect.errorEvents.map(({ bytes, fault }): [string, { readonly body: string }, object] => [
      `the error ${fault.code}`,
      { body: begun + bytes + rest },
      fault,
    ]),
  ])("emits the chunks before %s", async (_, { body, ...end }, expected) => {
    bench().server.answer(eventReply(body, end));
    const { content, reason } = await readUntilFailure(await send(bench(), call));
    expect(await faultOf(Promise.reject(reason))).toMatchObject(expected);
    expect(String(reason)).not.toContain(SECRET);
    expect(content).not.toBe("");
    expect(answer.choices[0]?.content.startsWith(content)).toBe(true);
  });
}

/** Where beginnings of a stream end: after each event, within its last line end, and within its data. */
function beginningsOf(bytes: string): number[] {
  const ends = [...bytes.matchAll(/\n\n/g)].map(({ index }) => index + 2);
  return ends.flatMap((end, at) => [Math.floor(((ends[at - 1] ?? 0) + end) / 2), end - 1, end]).slice(0, -1);
}

function send({ provider }: Bench, call: ProviderCall): Promise<ProviderReply> {
  return provider.send(call, { signal: NEVER });
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
