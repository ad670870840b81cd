import { afterAll, beforeAll, expect, it } from "vitest";
import { Sextant } from "../../src/client/index.js";
import { jsonReply, UpstreamServer } from "../fakes/upstream-server.js";

let gateway: UpstreamServer;
beforeAll(async () => {
  gateway = await UpstreamServer.start();
});
afterAll(() => gateway.close());

it("`client.pauses` asks beside /v1, with the key of the client", async () => {
  const pause = { id: "pause_1", kind: "model", target: "gpt-5.5" };
  gateway.answer(jsonReply(pause));
  const client = new Sextant({
    apiKey: "pk_live_test",
    baseURL: `${gateway.origin}/gateway/v1`,
    maxRetries: 0,
  });
  const created = await client.pauses.create({ kind: "model", target: "gpt-5.5", reason: "outage" });
  expect(created.id).toBe("pause_1");
  await client.pauses.list();
  await client.pauses.end("pause/1");
  expect(gateway.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /gateway/admin/pauses",
    "GET /gateway/admin/pauses",
    "DELETE /gateway/admin/pauses/pause%2F1",
  ]);
  expect(gateway.requests[0]?.headers.authorization).toBe("Bearer pk_live_test");
});
