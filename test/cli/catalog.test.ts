import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { shippedCatalogFile, useCatalogFile } from "../../src/engine/catalog/catalog-file.js";
import { cliRun } from "../fakes/cli-context.js";
import { FakeRouter } from "../fakes/router.js";
import { folderForTest } from "../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});
afterEach(() => useCatalogFile(shippedCatalogFile()));

const shipped = shippedCatalogFile();
/** One of next year, with a model that the shipped one lacks. */
const newer = (changes: object = {}) => ({
  ...shipped,
  as_of: "2027-05-01",
  models: { ...shipped.models, "gpt-9": { maker: "openai", released: "2027-04-30", context: 9000 } },
  hosts: {
    ...shipped.hosts,
    openai: { models: [{ id: "gpt-9", prices: [{ input: 7, output: 8 }] }] },
  },
  ...changes,
});
const NEWER = JSON.stringify(newer());

async function run(line: string, fetched?: typeof fetch) {
  const cli = cliRun({ workingDirectory: folder, router: new FakeRouter() });
  const context = fetched === undefined ? cli.context : { ...cli.context, fetch: fetched };
  const code = await runCli(line.split(" "), context);
  return { code, stdout: cli.stdout(), stderr: cli.stderr() };
}

function given(text: string): string {
  writeFileSync(join(folder, "new.json"), text);
  return "new.json";
}

const stored = (name = "catalog.json") => readFileSync(join(folder, "data", name), "utf8");

describe("sextant catalog update", () => {
  it("stores a newer catalog, which the next command uses, and keeps the one before", async () => {
    const { code, stdout } = await run(`catalog update ${given(NEWER)}`);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /models and prices of 2027-05-01\. New to the package: gpt-9\.\n.*SIGHUP/,
      ),
    });
    const models = (await run("models --json")).stdout.split("\n").find((row) => row.includes('"gpt-9"'));
    expect(JSON.parse(models ?? "{}").price).toEqual({ input_usd_per_mtok: 7, output_usd_per_mtok: 8 });
    const later = JSON.stringify(newer({ as_of: "2027-06-01" }));
    await run(`catalog update ${given(later)}`);
    expect([stored(), stored("catalog.previous.json")]).toEqual([later, NEWER]);
    expect(readdirSync(join(folder, "data")).sort()).toEqual(["catalog.json", "catalog.previous.json"]);
  });

  it("takes an https address", async () => {
    const address = "https://files.example.com/models.json";
    const replies: typeof fetch = async (asked) =>
      asked === address ? new Response(NEWER) : new Response("", { status: 404, statusText: "Not Found" });
    expect(await run(`catalog update ${address}`, replies)).toMatchObject({ code: 0 });
    expect(stored()).toBe(NEWER);
    const missing = await run("catalog update https://files.example.com/other", replies);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("answered 404 Not Found") });
  });

  const row = { id: "gpt-9", prices: [{ input: "7", output: 8 }] };
  it.each([
    [
      "row, field and value",
      newer({ hosts: { openai: { models: [row] } } }),
      /new\.json: `hosts\.openai\.models\[gpt-9\]\.prices\[0\]\.input` is "7": .*number.* Correct it/,
    ],
    ["a day that is none", newer({ as_of: "soon" }), /`as_of` is "soon": must be a day such as 2026-01-31/],
    ["a missing part", { ...newer(), models: undefined }, /`models` is missing: /],
    ["an unknown field", newer({ models: { "gpt-9": { colour: "red" } } }), /`models\.gpt-9` is .*"colour"/],
    [
      "an older one",
      newer({ as_of: "2026-01-01" }),
      /the models of 2026-01-01; the package has newer ones, of /,
    ],
  ])("refuses a file for %s, and leaves what is stored", async (_, file, message) => {
    await run(`catalog update ${given(NEWER)}`);
    const refused = await run(`catalog update ${given(JSON.stringify(file))}`);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect(stored()).toBe(NEWER);
  });

  it("refuses what is no JSON, no file, and what could be changed on its way", async () => {
    expect((await run(`catalog update ${given("{")}`)).stderr).toMatch(
      /cannot be read as JSON \(.+\)\. Correct/,
    );
    expect((await run("catalog update missing.json")).stderr).toMatch(/missing\.json cannot be read: /);
    expect((await run("catalog update http://files.example.com/a")).stderr).toMatch(/Use https\./);
  });

  it("replaces a stored one that is damaged, which other commands refuse", async () => {
    await run(`catalog update ${given(NEWER)}`);
    writeFileSync(join(folder, "data", "catalog.json"), NEWER.slice(0, 5000));
    expect(await run("models")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/catalog\.json cannot be read as JSON .*`sextant catalog update`/),
    });
    expect(await run(`catalog update ${given(NEWER)}`)).toMatchObject({ code: 0 });
  });

  it("counts until the package has a newer one, also when it is of another version", async () => {
    await run(`catalog update ${given(NEWER)}`);
    writeFileSync(join(folder, "data", "catalog.json"), '{"as_of": "2026-01-01", "fields": "of old"}');
    expect((await run("models --json")).stdout).not.toContain("gpt-9");
  });
});
