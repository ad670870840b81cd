import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { AlertEvent } from "../../../../src/gateway/features/alerts/alert-state.js";
import { sendEvent, type Webhook } from "../../../../src/gateway/features/alerts/webhook.js";
import { type ReplyParts, reply, UpstreamServer } from "../../../fakes/upstream-server.js";

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);
const event: AlertEvent = {
  id: "alert_01",
  type: "alert.fired",
  at: "2026-01-02T03:04:05.000Z",
  rule: "budget",
  subject: "teams of <search>",
  title: "Budget of <search> & co is used up",
  detail: "All of it.",
  fired_at: "2026-01-02T03:04:05.000Z",
};

let server: UpstreamServer;
let url = "";
let answer: ReplyParts = {};
beforeEach(async () => {
  answer = {};
  server = await UpstreamServer.start();
  url = server.origin;
  server.answer((exchange) => {
    const { path, body } = exchange.request;
    // As Slack does: a message without a text is refused.
    const isEmpty = path === "/slack" && typeof JSON.parse(body).text !== "string";
    return reply(isEmpty ? { status: 400, body: "no_text" } : { body: "ok", ...answer })(exchange);
  });
  return () => server.close();
});

const send = (webhook: Partial<Webhook>, heldBack = 0, one = event) =>
  sendEvent({ name: "ops", form: "json", url: `${url}/json`, secret: undefined, ...webhook }, one, {
    fetch,
    nowMs,
    heldBack,
  });

describe("A webhook", () => {
  it("of the form json gets the event as it is, with an id, and signed as Standard Webhooks are", async () => {
    const key = Buffer.from("a secret of some length");
    const secrets = [`whsec_${key.toString("base64")}`, key.toString()];
    for (const secret of secrets) {
      expect(await send({ secret }, 3)).toMatchObject({ ok: true, status: "HTTP 200" });
      const { headers, body } = server.lastRequest;
      expect(JSON.parse(body)).toEqual({ ...event, held_back: 3 });
      expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": "alert_01" });
      const signed = `alert_01.${headers["webhook-timestamp"]}.${body}`;
      expect(headers["webhook-timestamp"]).toBe(String(nowMs / 1000));
      expect(headers["webhook-signature"]).toBe(
        `v1,${createHmac("sha256", key).update(signed).digest("base64")}`,
      );
    }
    await send({});
    expect(server.lastRequest.headers["webhook-signature"]).toBeUndefined();
  });

  it("of the form slack gets one short text in which nothing of the event is markup", async () => {
    const slack = { form: "slack", url: `${url}/slack`, secret: "unused" } as const;
    expect(await send(slack, 2)).toMatchObject({ ok: true });
    await send(slack, 0, { ...event, type: "alert.resolved", detail: "x".repeat(50_000) });
    const [fired, resolved] = server.requests.map(({ body }) => JSON.parse(body).text as string);
    expect(fired).toBe(
      ":rotating_light: *Budget of &lt;search&gt; &amp; co is used up*\nAll of it.\n2 alerts before it were held back.",
    );
    expect(resolved).toMatch(/^:white_check_mark: \*Resolved: Budget/);
    expect(resolved?.length).toBeLessThan(4000);
    expect(server.lastRequest.headers).not.toHaveProperty("webhook-signature");
  });

  it.each([
    [429, true],
    [408, true],
    [503, true],
    [400, false],
    [404, false],
    [410, false],
  ])("that answers %s may be tried again: %s", async (status, mayRetry) => {
    answer = { status, headers: { "retry-after": "30" } };
    expect(await send({})).toEqual({ ok: false, status: `HTTP ${status}`, mayRetry, retryAfterMs: 30_000 });
  });

  it("that redirects is not followed: the operator named another address", async () => {
    answer = { status: 302, headers: { location: `${url}/elsewhere` } };
    expect(await send({})).toMatchObject({ ok: false, status: "HTTP 302", mayRetry: false });
    expect(server.requests.map(({ path }) => path)).toEqual(["/json"]);
  });

  it("that cannot be reached is named by the cause alone, without its address", async () => {
    await server.close();
    const sent = await send({ url: `${url}/T0/B0/secret` });
    expect(sent).toEqual({ ok: false, status: "ECONNREFUSED", mayRetry: true, retryAfterMs: undefined });
  });
});
