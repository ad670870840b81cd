import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startTestServer } from "../server.js";

const { app } = startTestServer();

describe("GET /openapi.json", () => {
  it("is an OpenAPI 3.1 document that lists every route of docs/api.md with its schemas, without credentials", async () => {
    const response = await app.inject({ url: "/openapi.json" });
    expect(response.statusCode).toBe(200);
    const document = response.json();
    expect(document.openapi).toBe("3.1.0");
    const listed = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");
    const described = [...page.matchAll(/(?:^## |`)((?:GET|POST|PATCH|DELETE) \/[^\s`?]*)/gm)].map(
      ([, route]) => route,
    );
    const routes = new Set(described.filter((route) => route !== "GET /docs"));
    expect(listed.sort()).toEqual([...routes].sort());
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
