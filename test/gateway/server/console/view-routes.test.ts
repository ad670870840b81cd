import { describe, expect, it } from "vitest";
import { ViewFile } from "../../../../src/gateway/access/console/view-file.js";
import { viewListSchema, viewSchema } from "../../../../src/gateway/api/views.js";
import { folderForTests } from "../../../support/folders.js";
import { ADMIN_KEY, startTestServer } from "../server.js";

const { app } = startTestServer({ views: new ViewFile(folderForTests()) });

const send = (method: "GET" | "PUT" | "DELETE", url: string, payload?: object) =>
  app.inject({ method, url, headers: { "x-api-key": ADMIN_KEY }, ...(payload !== undefined && { payload }) });

describe("/admin/views", () => {
  it("saves a view under a name, lists it with who saved it, and removes it", async () => {
    const saved = await send("PUT", "/admin/views/Spend%20by%20team", { path: "/?by=team&range=month" });
    expect([saved.statusCode, viewSchema.parse(saved.json())]).toEqual([
      200,
      expect.objectContaining({ name: "Spend by team", path: "/?by=team&range=month" }),
    ]);
    const list = viewListSchema.parse((await send("GET", "/admin/views")).json());
    expect(list.data.map(({ name }) => name)).toEqual(["Spend by team"]);
    expect((await send("DELETE", "/admin/views/Spend%20by%20team")).json().data).toEqual([]);
    expect((await send("DELETE", "/admin/views/Spend%20by%20team")).statusCode).toBe(404);
  });
});
