import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Provider,
  ProviderFault,
  type ProviderFaultCode,
} from "../../src/gateway/providers/provider.js";
import { jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";
import { type BrokenRule, refusalsOf } from "../fakes/vendors/vendor-server.js";
import { rejectionOf } from "../support/errors.js";
import { providerConnectionContract } from "./provider-connections.contract.js";
import { answerOf } from "./provider-dialects/answer.js";
import { type ProviderDialect, SECRET } from "./provider-dialects/dialect.js";
import { providerStreamContract } from "./provider-streams.contract.js";

const KEY = "k-123-456";
const MAX_REPLY_BYTES = 100_000;
export const NEVER = new AbortController().signal;

/** A provider of the dialect and the upstream it talks to, new for every test. */
export interface Bench {
  readonly server: UpstreamServer;
  readonly provider: Provider;
}

/** What every provider promises, in a dialect's fixtures. */
export function providerContract(dialect: ProviderDialect): void {
  describe(`${dialect.name}, as a provider,`, () => {
    let bench: Bench;
    const broken: BrokenRule[] = [];
    beforeEach(async () => {
      const server = await UpstreamServer.start({ refuses: refusalsOf(dialect.vendor, broken) });
      const provider = dialect.open(server.origin, { key: KEY, maxReplyBytes: MAX_REPLY_BYTES });
      bench = { server, provider };
    });
    afterEach(async () => {
      await bench.provider.close();
      await bench.server.close();
      expect(broken.splice(0).map(({ rule }) => rule.id)).toEqual([]);
    });
    describe("for requests and whole answers", () => wholeAnswers(dialect, () => bench));
    describe("for failures", () => failures(dialect, () => bench));
    describe("for streams", () => providerStreamContract(dialect, () => bench));
    describe("for connections", () => providerConnectionContract(dialect, () => bench));
  });
}

function wholeAnswers(dialect: ProviderDialect, bench: () => Bench): void {
  it.each(dialect.requests)(
    "sends $name, with the further headers of the call",
    async ({ call, path, headers, body }) => {
      const { server, provider } = bench();
      server.answer(reply({ status: 500 }));
      const added = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
      await provider.send(call, { signal: NEVER, headers: added }).catch(() => {});
      const { lastRequest } = server;
      expect(lastRequest).toMatchObject({ method: "POST", path, headers: { ...headers, ...added } });
      expect(JSON.parse(lastRequest.body)).toEqual(body);
    },
  );

  it.each(dialect.wholeReplies)("reads $name", async ({ call, body, answer }) => {
    const { server, provider } = bench();
    server.answer(jsonReply(body));
    expect(await answerOf(await provider.send(call, { signal: NEVER }))).toEqual(answer);
  });

  it("sends the idempotency key of a call, and no such header without one", async () => {
    const { server, provider } = bench();
    server.answer(reply({ status: 500 }));
    await provider.send({ ...dialect.call, idempotencyKey: "once-1" }, { signal: NEVER }).catch(() => {});
    await provider.send(dialect.call, { signal: NEVER }).catch(() => {});
    expect(server.requests.map(({ headers }) => headers["idempotency-key"])).toEqual(["once-1", undefined]);
  });
}

const CODES_BY_STATUS: readonly (readonly [number, ProviderFaultCode, boolean])[] = [
  [400, "request_refused", false],
  [401, "credentials_refused", true],
  [402, "quota_exhausted", true],
  [403, "credentials_refused", true],
  [404, "model_not_found", true],
  [405, "request_refused", false],
  [408, "server_error", true],
  [409, "server_error", true],
  [410, "model_not_found", true],
  [413, "request_refused", false],
  [422, "request_refused", false],
  [429, "rate_limited", true],
  [498, "overloaded", true],
  [500, "server_error", true],
  [502, "server_error", true],
  [503, "overloaded", true],
  [504, "server_error", true],
  [529, "overloaded", true],
];

function failures(dialect: ProviderDialect, bench: () => Bench): void {
  it.each(CODES_BY_STATUS)(
    "reports status %i as %s, without the upstream's text, whatever its body",
    async (status, code, retryable) => {
      const { server, provider } = bench();
      const bodies = [
        JSON.stringify(dialect.errorBody(`You said: ${SECRET} (${KEY})`)),
        `<!doctype html><title>${status}</title>${SECRET}`,
        "",
        JSON.stringify(dialect.errorBody(SECRET)).slice(0, 20),
      ];
      for (const [index, body] of bodies.entries()) {
        server.answer(reply({ status, body }));
        const stream = index % 2 === 0;
        const fault = await faultOf(provider.send({ ...dialect.call, stream }, { signal: NEVER }));
        expect(fault).toMatchObject({ code, status, retryable, retryAfterMs: null });
        expectDiscreet(fault);
      }
    },
  );

  it.each([
    ["a page", "<!doctype html><title>Sign in</title>"],
    ["an empty body", ""],
    ["truncated JSON", '{"id": "1", "choi'],
    ...Object.entries(dialect.strangeReplies).map(([name, body]) => [name, JSON.stringify(body)]),
  ])("rejects a success status with %s", async (_, body) => {
    const { server, provider } = bench();
    server.answer(reply({ body: body ?? "" }));
    for (const stream of [false, true]) {
      const fault = await faultOf(
        provider.send({ ...dialect.call, stream }, { signal: NEVER }).then(answerOf),
      );
      expect(fault).toMatchObject({ status: 200, retryable: true });
      expect(["invalid_reply", ...(stream ? ["cut_off"] : [])]).toContain(fault.code);
    }
  });

  it("rejects an answer whose members are nested more deeply than can be sent on", async () => {
    const { server, provider } = bench();
    const [fixture] = dialect.wholeReplies;
    const nested = (levels: number) =>
      `${JSON.stringify(fixture?.body).slice(0, -1)},"unknown":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    server.answer(reply({ body: nested(5000) }));
    const fault = await faultOf(provider.send(dialect.call, { signal: NEVER }));
    const message = "the provider sent lists and objects nested more than 256 levels deep";
    expect(fault).toMatchObject({ code: "invalid_reply", message });
    server.answer(reply({ body: nested(200) }));
    expect(await answerOf(await provider.send(dialect.call, { signal: NEVER }))).toEqual(fixture?.answer);
  });

  it("reports the error in a body with a success status", async () => {
    const { server, provider } = bench();
    server.answer(jsonReply(dialect.errorBody(SECRET)));
    for (const stream of [false, true]) {
      const fault = await faultOf(provider.send({ ...dialect.call, stream }, { signal: NEVER }));
      expect(fault.code).not.toBe("invalid_reply");
      expectDiscreet(fault);
    }
  });

  it("rejects an answer that is too large", async () => {
    const { server, provider } = bench();
    const [fixture] = dialect.wholeReplies;
    for (const framing of ["length", "chunked", "close"] as const) {
      const body = [JSON.stringify(fixture?.body), " ".repeat(MAX_REPLY_BYTES)];
      server.answer(reply({ body, framing }));
      const fault = await faultOf(provider.send(dialect.call, { signal: NEVER }));
      expect(fault.code).toBe("reply_too_large");
    }
  });

  it("follows no redirect", async () => {
    const { server, provider } = bench();
    server.answer(reply({ status: 307, headers: { location: `${server.origin}/elsewhere` } }));
    expect((await faultOf(provider.send(dialect.call, { signal: NEVER }))).code).toBe("invalid_reply");
    expect(server.requests).toHaveLength(1);
  });
}

export const faultOf = (work: Promise<unknown>) => rejectionOf(work, ProviderFault);

/** What a promise was rejected with. */
export const reasonOf = (work: Promise<unknown>) => rejectionOf(work, Error);

/** Nothing of it may be shown to a client that the upstream could have put there. */
function expectDiscreet(fault: ProviderFault): void {
  const shown = [fault.message, fault.upstreamCode, fault.upstreamParam].join(" ");
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain(KEY);
}
