import { expect, it } from "vitest";
import type { StreamBatches } from "../../src/gateway/providers/provider.js";
import { type Exchange, eventReply, jsonReply, reply } from "../fakes/upstream-server.js";
import { type Bench, faultOf, NEVER, reasonOf } from "./provider.contract.js";
import { answerOf } from "./provider-dialects/answer.js";
import type { ProviderDialect } from "./provider-dialects/dialect.js";

const GONE = new Error("the client is gone");

export function providerConnectionContract(dialect: ProviderDialect, bench: () => Bench): void {
  const [stream] = dialect.streams;
  const middle = stream.bytes.indexOf("\n\n", stream.bytes.length / 2) + 2;

  it.each([
    ["before the upstream answers", dialect.call, () => {}],
    ["before a stream begins", stream.call, () => {}],
    ["in the middle of an answer", dialect.call, jsonReply({ a: 1 }, { ending: "stall" })],
    ["in the middle of an error", dialect.call, reply({ status: 500, body: "x", ending: "stall" })],
  ] as const)("closes the connection at once when a request is aborted %s", async (_, call, script) => {
    const { provider } = bench();
    const seen = nextExchange(bench(), script);
    const abort = new AbortController();
    const sending = reasonOf(provider.send(call, { signal: abort.signal }));
    const exchange = await seen;
    abort.abort(GONE);
    expect(await sending).toBe(GONE);
    await exchange.closed;
  });

  it.each([
    ["before its first event", ""],
    ["in its middle", stream.bytes.slice(0, middle)],
  ])("closes the connection at once when a stream is aborted %s", async (_, bytes) => {
    const { provider } = bench();
    const seen = nextExchange(bench(), eventReply(bytes, { ending: "stall" }));
    const abort = new AbortController();
    const batches = streamIn(await provider.send(stream.call, { signal: abort.signal }));
    const reading = reasonOf(readAll(batches));
    const exchange = await seen;
    abort.abort(GONE);
    expect(await reading).toBe(GONE);
    await exchange.closed;
  });

  it("sends nothing when the request is already aborted", async () => {
    const { server, provider } = bench();
    const aborted = AbortSignal.abort(GONE);
    for (const call of [dialect.call, stream.call]) {
      expect(await reasonOf(provider.send(call, { signal: aborted }))).toBe(GONE);
    }
    expect(server.requests).toHaveLength(0);
  });

  it("emits nothing more after an abort", async () => {
    const { provider } = bench();
    bench().server.answer(eventReply(stream.bytes));
    const abort = new AbortController();
    const batches = streamIn(await provider.send(stream.call, { signal: abort.signal }));
    abort.abort(GONE);
    expect(await reasonOf(readAll(batches))).toBe(GONE);
  });

  it("closes the connection when iteration stops early, whether or not the reader waits", async () => {
    for (const bytes of [stream.bytes.slice(0, middle), ""]) {
      const seen = nextExchange(bench(), eventReply(bytes, { ending: "stall" }));
      const batches = streamIn(await bench().provider.send(stream.call, { signal: NEVER }));
      const iterator = batches[Symbol.asyncIterator]();
      if (bytes !== "") await iterator.next();
      const waiting = iterator.next();
      await iterator.return?.();
      expect(await waiting).toEqual({ done: true, value: undefined });
      await (await seen).closed;
    }
  });

  it("reuses the connection after every answer that was read to its end", async () => {
    const { server, provider } = bench();
    for (let round = 0; round < 3; round++) {
      server.answer(eventReply(stream.bytes));
      await answerOf(await provider.send(stream.call, { signal: NEVER }));
      server.answer(jsonReply(dialect.wholeReplies[0]?.body));
      await provider.send(dialect.call, { signal: NEVER });
      server.answer(jsonReply(dialect.errorBody("no"), { status: 400 }));
      await faultOf(provider.send(dialect.call, { signal: NEVER }));
    }
    // The one that has just answered is not yet free when the next request is sent at once.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("reports a connection that breaks before the answer", async () => {
    const { server, provider } = bench();
    for (const end of [(exchange: Exchange) => exchange.reset(), (exchange: Exchange) => exchange.end()]) {
      server.answer(end);
      for (const call of [dialect.call, stream.call]) {
        const fault = await faultOf(provider.send(call, { signal: NEVER }));
        expect(fault).toMatchObject({ code: "connection_error", status: null, retryable: true });
      }
    }
  });

  it("reports a connection that breaks within the answer", async () => {
    const { server, provider } = bench();
    for (const ending of ["reset", "cut"] as const) {
      server.answer(reply({ body: JSON.stringify(dialect.wholeReplies[0]?.body), ending }));
      const fault = await faultOf(provider.send(dialect.call, { signal: NEVER }));
      expect(fault).toMatchObject({ code: "cut_off", status: 200, retryable: true });
    }
  });

  it("sends nothing after it was closed, and finishes requests in progress", async () => {
    const { server, provider } = bench();
    const seen = nextExchange(bench(), () => {});
    const sending = provider.send(dialect.call, { signal: NEVER });
    const exchange = await seen;
    await provider.close();
    expect((await faultOf(provider.send(dialect.call, { signal: NEVER }))).code).toBe("connection_error");
    await jsonReply(dialect.wholeReplies[0]?.body)(exchange);
    expect(await answerOf(await sending)).toEqual(dialect.wholeReplies[0]?.answer);
    await exchange.closed;
    expect(server.requests).toHaveLength(1);
  });
}

/** The next request, once `script` has said what it has to say. */
function nextExchange(
  { server }: Bench,
  script: (exchange: Exchange) => void | Promise<void>,
): Promise<Exchange> {
  return new Promise((resolve) =>
    server.answer(async (exchange) => {
      await script(exchange);
      resolve(exchange);
    }),
  );
}

function streamIn(reply: { readonly kind: string; readonly batches?: StreamBatches }): StreamBatches {
  if (reply.batches === undefined) throw new Error("no stream");
  return reply.batches;
}

async function readAll(batches: StreamBatches): Promise<void> {
  for await (const batch of batches) expect(batch.length).toBeGreaterThan(0);
}
