import { expect, it } from "vitest";
import { rootSchema } from "../../../../src/gateway/api/operation.js";
import { startTestServer } from "../../server.js";

it("GET / lists the main paths without credentials, and every one exists", async () => {
  const { app } = startTestServer();
  const { links } = rootSchema.parse((await app.inject({ url: "/" })).json());
  for (const path of [links.openapi, links.health, links.metrics])
    expect((await app.inject({ url: path })).statusCode, path).toBe(200);
  expect(links.console).toBeNull();
});
