import { describe, expect, it } from "vitest";
import { rootSchema } from "../../../../src/gateway/api/operation.js";
import { startTestServer } from "../server.js";

describe("GET /", () => {
  it("lists the main paths without credentials, and every one exists", async () => {
    const { app } = startTestServer();
    const response = await app.inject({ method: "GET", url: "/" });
    expect(response.statusCode).toBe(200);
    const { links } = rootSchema.parse(response.json());
    for (const path of [links.openapi, links.health, links.metrics]) {
      expect((await app.inject({ method: "GET", url: path })).statusCode, path).toBe(200);
    }
    expect(links.console).toBeNull();
  });
});
