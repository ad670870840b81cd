/** `GET /v1/models`, as Anthropic's client reads it. */
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, describe, expect, it } from "vitest";
import { FakeRouter } from "../../fakes/router.js";
import { KEY, startTestServer, throughInject } from "../../gateway/server/server.js";
import { rejectionOf } from "../../support/errors.js";

const models = ["gpt-4o-mini", "lab/own model", "claude-sonnet-4"];
const { app } = startTestServer({
  router: new FakeRouter(models.map((model) => ({ model, provider: "openai", quality: 0.5, costUsd: null }))),
});
afterAll(() => app.close());

describe("The list of models for Anthropic's clients", () => {
  const client = new Anthropic({ apiKey: KEY, maxRetries: 0, fetch: throughInject(app) });

  it("has their form", async () => {
    const page = await client.models.list();
    expect([page.has_more, page.first_id, page.last_id]).toEqual([false, "auto", "sextant"]);
    expect(page.data[1]).toEqual({
      type: "model",
      id: "gpt-4o-mini",
      display_name: "gpt-4o-mini",
      created_at: "2024-07-18T00:00:00.000Z",
      max_input_tokens: 128_000,
      max_tokens: 16_384,
    });
    const { _request_id: requestId, ...one } = await client.models.retrieve("gpt-4o-mini");
    expect(one).toMatchObject({ type: "model", display_name: "gpt-4o-mini", request_id: requestId });
  });

  it("has pages, which their iterator goes through", async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list({ limit: 3 })) ids.push(id);
    expect(ids).toEqual(["auto", "gpt-4o-mini", "lab/own model", "sextant"]);
  });

  it("refuses in their form", async () => {
    const refused = await rejectionOf(client.models.retrieve("nope"), Anthropic.NotFoundError);
    expect(refused.error).toMatchObject({ type: "error", error: { type: "not_found_error" } });
    expect(refused.requestID).toMatch(/^req_/);
  });
});
