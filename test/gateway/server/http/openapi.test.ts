import { afterAll, describe, expect, it } from "vitest";
import { startTestServer } from "../server.js";

const { app } = startTestServer();
afterAll(() => app.close());

describe("GET /openapi.json", () => {
  it("is an OpenAPI 3.1 document that lists every route with its schemas, without credentials", async () => {
    const response = await app.inject({ url: "/openapi.json" });
    expect(response.statusCode).toBe(200);
    const document = response.json();
    expect(document.openapi).toBe("3.1.0");
    const listed = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.sort()).toEqual([
      "DELETE /admin/keys/{id}",
      "DELETE /admin/pauses/{id}",
      "DELETE /admin/views/{name}",
      "DELETE /v1/responses/{id}",
      "GET /",
      "GET /admin/alerts",
      "GET /admin/attention",
      "GET /admin/budgets",
      "GET /admin/comparisons",
      "GET /admin/events",
      "GET /admin/keys",
      "GET /admin/pauses",
      "GET /admin/providers",
      "GET /admin/refusals",
      "GET /admin/router/benchmark-scores",
      "GET /admin/router/report",
      "GET /admin/traces",
      "GET /admin/traces/causes",
      "GET /admin/traces/conversation",
      "GET /admin/traces/export",
      "GET /admin/traces/replay",
      "GET /admin/traces/savings",
      "GET /admin/traces/series",
      "GET /admin/traces/stats",
      "GET /admin/traces/values",
      "GET /admin/traces/{request_id}",
      "GET /admin/views",
      "GET /healthz",
      "GET /metrics",
      "GET /openapi.json",
      "GET /readyz",
      "GET /v1/models",
      "GET /v1/models/{model}",
      "GET /v1/providers",
      "GET /v1/responses/{id}",
      "GET /v1/responses/{id}/input_items",
      "GET /v1/router/cost-weights",
      "GET /v1/router/profiles",
      "GET /v1/traces",
      "GET /v1/traces/{request_id}",
      "PATCH /admin/keys/{id}",
      "POST /admin/alerts/test",
      "POST /admin/keys",
      "POST /admin/keys/{id}/rotate",
      "POST /admin/pauses",
      "POST /admin/providers/{id}/test",
      "POST /admin/reload",
      "POST /admin/router/explain",
      "POST /admin/traces/{request_id}/route",
      "POST /v1/chat/completions",
      "POST /v1/completions",
      "POST /v1/embeddings",
      "POST /v1/feedback",
      "POST /v1/messages",
      "POST /v1/messages/count_tokens",
      "POST /v1/responses",
      "POST /v1/responses/{id}/cancel",
      "POST /v1/router",
      "POST /v1/router/batch",
      "PUT /admin/views/{name}",
    ]);
    const { post } = document.paths["/v1/router"];
    const body = post.requestBody.content["application/json"].schema;
    expect(body.required).toEqual(["messages"]);
    expect(body.properties.cost_weight).toMatchObject({ type: "number", minimum: 0, default: 0 });
    expect(body.properties.messages.items.properties.role.enum).toContain("developer");
    expect(Object.keys(post.responses).join(" ")).toBe("200 400 401 403 404 413 415 429 500 502 503 504");
    for (const operation of Object.values<Record<string, { operationId?: string; summary?: string }>>(
      document.paths,
    )) {
      for (const { operationId, summary } of Object.values(operation)) {
        expect(operationId).toBeTypeOf("string");
        expect(summary).toBeTypeOf("string");
      }
    }
  });

  it("has no dangling reference", async () => {
    const text = (await app.inject({ url: "/openapi.json" })).body;
    const document = JSON.parse(text);
    for (const [, reference] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = (reference ?? "").split("/").reduce((node, step) => node?.[step], document);
      expect(target, reference).toBeDefined();
    }
  });
});
