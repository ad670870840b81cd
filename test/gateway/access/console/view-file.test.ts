import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ViewFile } from "../../../../src/gateway/access/console/view-file.js";
import { folderForTests } from "../../../support/folders.js";

const folder = folderForTests();
const view = (name: string, path = "/?by=team") => ({ name, path, savedBy: "key_1", savedAtMs: 1000 });

describe("Saved views", () => {
  it("are those of every process on the folder, by name, one of each", async () => {
    const [one, other] = [new ViewFile(folder), new ViewFile(folder)];
    expect(await one.list()).toEqual([]);
    await Promise.all([one.save(view("spend")), other.save(view("errors", "/failures"))]);
    await other.save(view("spend", "/?by=day"));
    expect((await one.list()).map(({ name, path }) => [name, path])).toEqual([
      ["errors", "/failures"],
      ["spend", "/?by=day"],
    ]);
    expect([await one.remove("spend"), await one.remove("spend")]).toEqual([true, false]);
    expect((await other.list()).map(({ name }) => name)).toEqual(["errors"]);
  });

  it("are at most 200, and none in a damaged file", async () => {
    const views = new ViewFile(join(folder, "full"));
    await views.save(view("view 7"));
    const file = join(folder, "full", "views.json");
    const saved = JSON.parse(readFileSync(file, "utf8"));
    saved.views = Array.from({ length: 200 }, (_, at) => ({ ...saved.views[0], name: `view ${at}` }));
    writeFileSync(file, JSON.stringify(saved));
    await expect(views.save(view("one more"))).rejects.toMatchObject({ code: "invalid_request" });
    await views.save(view("view 7", "/keys"));
    writeFileSync(file, "{");
    expect(await views.list()).toEqual([]);
    await views.save(view("first again"));
    expect(await views.list()).toHaveLength(1);
  });
});
