import { beforeEach, describe, expect, it } from "vitest";
import { EventLog } from "../../../../src/gateway/features/events/event-log.js";
import { eventListSchema } from "../../../../src/gateway/features/events/schema.js";
import { PauseList } from "../../../../src/gateway/features/pauses/pause-list.js";
import { pauseListSchema, pauseReplySchema } from "../../../../src/gateway/features/pauses/schema.js";
import { MemoryStore } from "../../../fakes/store.js";
import {
  ADMIN_KEY,
  get,
  helloChat,
  keyMetadata,
  NOW_MS,
  noKeys,
  post,
  postChat,
  startTestServer,
  type TestServer,
} from "../../server.js";

const isoAfter = (ms: number): string => new Date(NOW_MS + ms).toISOString();
const HOUR = 3_600_000;
const admin = { "x-api-key": ADMIN_KEY };

let server: TestServer;
beforeEach(() => {
  const store = new MemoryStore();
  const now = () => NOW_MS;
  let ids = 0;
  const newId = () => `${++ids}`;
  server = startTestServer({
    pauses: new PauseList(store, { now, newId }),
    events: new EventLog({ store, kept: 100, now, newId, log: { warn() {} } }),
    keys: {
      ...noKeys,
      nameOf: (id) => ({ key_1: "Ada's app", key_admin: "on call" })[id],
      revoke: async () => ({ ...keyMetadata("key_1", "Ada's app"), revoked_at: isoAfter(0) }),
    },
  });
});

const start = (payload: unknown) => post(server.app, "/admin/pauses", { payload, headers: admin });
const provider = { kind: "provider", target: "openai", reason: "x" };
const outage = { kind: "model", target: "gpt-4o-mini", reason: "outage" };
const remove = (url: string) => server.app.inject({ method: "DELETE", url, headers: admin });
const events = async (query = "") =>
  eventListSchema.parse((await get(server.app, `/admin/events${query}`, admin)).json());

describe("POST /admin/pauses", () => {
  it("pauses for an hour, and is listed until it is ended", async () => {
    const reply = await start(outage);
    expect(reply.statusCode).toBe(201);
    const pause = pauseReplySchema.parse(reply.json());
    const by = { created_by: "key_admin", created_by_name: "on call" };
    expect(pause).toMatchObject({ ...outage, redirect_to: null, ...by, ends_at: isoAfter(HOUR) });
    const list = async () =>
      pauseListSchema.parse((await get(server.app, "/admin/pauses", admin)).json()).data;
    const { request_id: _, ...body } = pause;
    expect(await list()).toEqual([body]);
    const end = () => remove(`/admin/pauses/${pause.id}`);
    expect((await end()).statusCode).toBe(200);
    expect(await list()).toEqual([]);
    expect((await end()).json().error.code).toBe("not_found");
  });

  it("takes an end of its own, or none", async () => {
    expect((await start({ ...outage, ends_at: null })).json().ends_at).toBeNull();
    const ends_at = isoAfter(5 * HOUR);
    expect((await start({ ...outage, ends_at })).json().ends_at).toBe(ends_at);
  });

  it("refuses every request of a paused key with 403, and lets it back in afterwards", async () => {
    const { id } = (await start({ kind: "key", target: "key_1", reason: "loop" })).json();
    const refused = await postChat(server.app, helloChat);
    expect(refused.statusCode).toBe(403);
    expect(refused.json().error).toMatchObject({ code: "key_paused", type: "permission_error" });
    expect(refused.body).not.toContain("loop");
    await remove(`/admin/pauses/${id}`);
    expect((await postChat(server.app, helloChat)).statusCode).toBe(200);
  });

  it.each([
    [{ ...outage, target: "gpt-nine" }, 404, "model_not_found", "target"],
    [{ ...outage, redirect_to: "gpt-nine" }, 404, "model_not_found", "redirect_to"],
    [{ ...outage, redirect_to: "gpt-4o-mini" }, 400, "invalid_request", "redirect_to"],
    [{ ...outage, redirect_to: "claude-sonnet-4" }, 400, "invalid_request", "redirect_to"],
    [{ ...outage, ends_at: isoAfter(-1) }, 400, "invalid_request", "ends_at"],
    [{ ...outage, reason: "" }, 400, "invalid_request", "reason"],
    [{ ...outage, kind: "modle" }, 400, "invalid_request", "kind"],
    [{ ...outage, kind: "provider" }, 404, "provider_not_found", "target"],
    [{ ...provider, redirect_to: "lab/own model" }, 400, "invalid_request", "redirect_to"],
    [{ kind: "key", target: "key_9", reason: "x" }, 404, "not_found", "target"],
    [{ kind: "key", target: "key_admin", reason: "x" }, 400, "invalid_request", "target"],
  ])("refuses %o", async (payload, status, code, param) => {
    const reply = await start(payload);
    expect(reply.statusCode).toBe(status);
    expect(reply.json().error).toMatchObject({ code, param });
    expect((await events()).data).toEqual([]);
  });

  it("does not redirect to what is paused itself", async () => {
    await start({ kind: "provider", target: "lab", reason: "down" });
    const reply = await start({ ...outage, redirect_to: "lab/own model" });
    expect(reply.json().error.message).toContain("which is paused itself");
  });
});

describe("GET /admin/events", () => {
  it("shows who did what, from which address, the newest first", async () => {
    const { id } = (await start(outage)).json();
    await remove(`/admin/pauses/${id}`);
    await remove("/admin/keys/key_1");
    const { data } = await events();
    expect(data.map(({ kind, target }) => [kind, target])).toEqual([
      ["key.revoked", { type: "key", id: "key_1", name: "Ada's app" }],
      ["pause.ended", { type: "model", id: "gpt-4o-mini", name: null }],
      ["pause.started", { type: "model", id: "gpt-4o-mini", name: null }],
    ]);
    expect(data[2]).toMatchObject({
      actor: { id: "key_admin", name: "on call", address: "127.0.0.1" },
      details: { pause: id, reason: "outage", ends_at: isoAfter(HOUR), redirect_to: null },
    });
  });

  it("keeps the result of a reload of the profiles", async () => {
    await post(server.app, "/admin/reload", { payload: {}, headers: admin });
    expect((await events("?kind=profiles.reloaded,profiles.refused")).data).toMatchObject([
      { kind: "profiles.reloaded", target: { type: "profiles", id: "fake-2" }, details: { models: 3 } },
    ]);
  });
});

it("An answer of a redirect names the model that was asked for and the one that answers in headers", async () => {
  server.inference.outcomes.push(async (request, context) => {
    const answer = await server.inference.run(request, context);
    const paused = { provider: "openai", model: "gpt-4o", status: null, code: "paused", message: null };
    return { ...answer, attempts: [{ ...paused, latency_ms: 0 }, ...answer.attempts] };
  });
  const { headers } = await postChat(server.app, helloChat);
  expect(headers).toMatchObject({ "x-paused-model": "gpt-4o", "x-routing-provider": "openai" });
});
