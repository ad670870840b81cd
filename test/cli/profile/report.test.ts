import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { profileCommand } from "../../../src/cli/profile/profile.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { saveRecommendedWeight } from "../../../src/engine/profiles/recommended-weight.js";
import type { MapData } from "../../../src/workbench/report/map-selection.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTests } from "../../support/folders.js";

const SAMPLE = fileURLToPath(new URL("../../../datasets/sample", import.meta.url));
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

const folder = folderForTests();

async function run(argv: readonly string[]) {
  const { context, stdout } = cliRun({ workingDirectory: folder });
  const program = new Command()
    .exitOverride()
    .addCommand(profileCommand({ ...context, openRouter: openRouterFromSettings }));
  const failed = await program.parseAsync(["profile", ...argv], { from: "user" }).then(
    () => undefined,
    (error: Error & { exitCode?: number }) => error,
  );
  return {
    stdout: stdout(),
    exitCode: failed === undefined ? 0 : (failed.exitCode ?? -1),
    failure: failed?.message ?? "",
  };
}

const page = (name: string) => readFile(join(folder, name), "utf8");

/** A set of two thirds of the sample; the others are held out. */
beforeAll(async () => {
  const rows = (await readFile(join(SAMPLE, "prompts.jsonl"), "utf8")).trim().split("\n");
  const prompts = rows.map((row) => JSON.parse(row) as { id: string });
  await writeFile(join(folder, "known.jsonl"), lines(prompts.filter((_, index) => index % 3 !== 0)));
  await writeFile(join(folder, "held-out.jsonl"), lines(prompts.filter((_, index) => index % 3 === 0)));
  const build = ["build", "--keep-names", "--prompts", "known.jsonl", "--outcomes", SAMPLE, "--out", "set"];
  expect(await run(build)).toMatchObject({ exitCode: 0 });
});

describe("sextant profile report", () => {
  it("writes one page that loads nothing and allows its own script and style alone", async () => {
    expect(await run(["report", "--set", "set", "--out", "plain.html"])).toEqual({
      ...{ exitCode: 0, failure: "" },
      stdout: `Wrote ${join(folder, "plain.html")}\n`,
    });
    const html = await page("plain.html");
    expect(html).not.toMatch(/<(link|img|iframe|object)\b|\bsrc=|@import|url\(|https?:/);
    expect(html).not.toMatch(/\sstyle="/);
    for (const element of ["style", 'script type="module"']) {
      const start = html.indexOf(`<${element}>`) + element.length + 2;
      const text = html.slice(start, html.indexOf(`</${element.split(" ")[0]}>`, start));
      const hash = createHash("sha256").update(text).digest("base64");
      expect(html).toContain(`'sha256-${hash}'`);
    }
  });

  it("draws every anchor of a small set, with what the router expects there, and no text of a prompt", async () => {
    await run(["report", "--set", "set", "--out", "map.html"]);
    const html = await page("map.html");
    const json = /<script type="application\/json" id="map-data">(.*)<\/script>/.exec(html)?.[1] ?? "";
    const data = JSON.parse(json) as MapData;
    expect(data.map).toHaveLength(80);
    for (const { x, y, topic, chosen, best } of data.map) {
      for (const place of [x, y]) expect(Math.abs(place - 0.5)).toBeLessThanOrEqual(0.5);
      expect(data.topics[topic]).toBeDefined();
      expect(best.map(({ model }) => model)).toContain(chosen);
      const qualities = best.map(({ quality }) => quality);
      expect(qualities).toEqual(qualities.toSorted((a, b) => b - a));
    }
    const known = (await readFile(join(folder, "known.jsonl"), "utf8")).trim().split("\n");
    for (const row of known) expect(html).not.toContain((JSON.parse(row) as { prompt: string }).prompt);
  });

  it("says so when it draws a sample", async () => {
    await run(["report", "--set", "set", "--out", "sample.html", "--most-points", "20"]);
    expect(await page("sample.html")).toContain("Drawn are 20 of 80 anchors, chosen at random,");
  });

  it("shows the frontier, recommended cost weights and calibration of held-out prompts", async () => {
    const argv = ["report", "--set", "set", "--prompts", "held-out.jsonl", "--outcomes", SAMPLE];
    const { exitCode, failure } = await run([...argv, "--out", "held-out.html"]);
    expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: "" });
    const html = await page("held-out.html");
    expect(html).toContain("On 40 held-out prompts");
    for (const title of ["Cost and quality", "Recommended cost weights", "Calibration"])
      expect(html).toContain(`>${title}</h3>`);
    const figures = html.slice(
      html.indexOf("<h3>Cost and quality</h3>"),
      html.indexOf("<h3>Calibration</h3>"),
    );
    const wide = figures.slice(0, figures.indexOf('<svg class="narrow"'));
    expect(figures.match(/<title>([a-z, ]+: )?cost weight 0\.05: quality 0\.\d{3}/g)).toHaveLength(2);
    // One point for each recommended weight, however many goals it meets.
    const marked = [...wide.matchAll(/chosen"[^>]*><title>recommended[a-z, ]*: cost weight ([\d.]+):/g)];
    expect(marked).toHaveLength(new Set(marked.map(([, weight]) => weight)).size);
    expect(marked.length).toBeGreaterThan(0);
    expect(wide.match(/class="knee/g)).toHaveLength(1);
    expect(html.match(/knee: beyond it, quality falls faster than cost/g)).toHaveLength(2);
    expect(html.slice(0, html.indexOf("<script"))).not.toMatch(/NaN|undefined|"-?Infinity/);
  });

  it("shows the quality at the cost weight that is saved in the set beside that at the weight of the decisions", async () => {
    await cp(join(folder, "set"), join(folder, "tuned"), { recursive: true });
    // No weight that a sweep has by itself.
    const saved = { cost_weight: 0.777, rule: "max_loss", limit: 0.4, prompts: 1 } as const;
    await saveRecommendedWeight(join(folder, "tuned"), { ...saved, saved_at: "2026-01-02T00:00:00.000Z" });
    const argv = ["report", "--set", "tuned", "--prompts", "held-out.jsonl", "--outcomes", SAMPLE];
    await run([...argv, "--out", "tuned.html"]);
    const html = await page("tuned.html");
    expect(html).toContain("chosen by 1 held-out prompt, 2026-01-02");
    const fact = (name: string) =>
      new RegExp(`<dt>${name}</dt><dd>(0\\.\\d{3})<small>([^<]*)</small>`).exec(html)?.slice(1) ?? [];
    const [best, single] = fact("Quality on held-out prompts at cost weight 0");
    const [quality, against] = fact("Quality on held-out prompts at the saved cost weight 0\\.777");
    expect(Number(quality)).toBeLessThan(Number(best));
    expect(single).toMatch(/^always sample-large, the best single model there: 0\.\d{3}$/);
    expect(against).toMatch(/^−\d+\.\d\d points against cost weight [\d.]+, the best there$/);
    const heldOut = html.slice(html.indexOf("Cost weights recommended by held-out prompts"));
    const rowOf = (name: string) =>
      heldOut.slice(heldOut.indexOf(`<th scope="row">${name}</th>`)).split("</tr>")[0] ?? "";
    const cells = [...rowOf("saved in the set by profile tune").matchAll(/data-label="([^"]*)">([^<]*)</g)];
    expect(cells.map(([, label, figure]) => [label, figure])).toEqual([
      ["cost weight", "0.777"],
      ["points against the best cost weight", against?.split(" ")[0]],
      ["points against the best single model", expect.stringMatching(/^−\d+\.\d\d$/)],
      ["cost against the best single model", expect.stringMatching(/^\d+% less$/)],
      ["on prompts it was not chosen by, against the best single model", "–"],
    ]);
    expect(html).toMatch(/class="tuned"[^>]*><title>tuned: cost weight 0\.777:/);
    // Decisions at the saved weight need no figure of their own.
    await run([...argv, "--cost-weight", ".777", "--out", "at-tuned.html"]);
    expect(await page("at-tuned.html")).not.toContain("at the saved cost weight");
  });

  it("shows no knee where quality falls evenly with cost", async () => {
    const held = (await page("held-out.jsonl")).trim().split("\n");
    const even = held.flatMap((row) => {
      const { id } = JSON.parse(row) as { id: string };
      return [
        { id, model: "sample-large", score: 1, cost_usd: 0.01 },
        { id, model: "sample-small", score: 0, cost_usd: 0.001 },
      ];
    });
    await writeFile(join(folder, "even.jsonl"), lines(even));
    const argv = ["report", "--set", "set", "--prompts", "held-out.jsonl", "--outcomes", "even.jsonl"];
    expect(await run([...argv, "--out", "even.html"])).toMatchObject({ exitCode: 0 });
    const html = await page("even.html");
    const heldOut = html.slice(
      html.indexOf("On 40 held-out prompts"),
      html.indexOf("as decisions expect them"),
    );
    expect(heldOut).toMatch(/>knee: [^<]*<\/th><td colspan="5" class="muted">no pronounced knee: /);
    expect(heldOut).not.toContain("the diamond is the knee");
  });

  it("names the models of a card only where there are more of them", async () => {
    await run(["report", "--set", "set", "--out", "few.html"]);
    expect(await page("few.html")).not.toContain("Each topic shows its best");
  });

  it("shows what decisions expect without held-out prompts, and how that fits the graded answers of the set", async () => {
    await run(["report", "--set", "set", "--out", "expected.html"]);
    const html = await page("expected.html");
    expect(html).toContain("Expectations, not measurements: means over 80 profiled prompts");
    expect(html).toContain("Calibration compares 320 graded answers in the set");
    expect(html.slice(0, html.indexOf("<script"))).not.toMatch(/NaN|undefined|"-?Infinity/);
  });

  it("says which model is best on which prompts, what anchors are, and clusters prompts without a category", async () => {
    const rows = (await page("known.jsonl")).trim().split("\n");
    const plain = rows.map((row) => ({ ...JSON.parse(row), category: undefined, benchmark: undefined }));
    await writeFile(join(folder, "no-category.jsonl"), lines(plain));
    const files = ["--keep-names", "--prompts", "no-category.jsonl", "--outcomes", SAMPLE];
    expect(await run(["build", ...files, "--out", "one-topic"])).toMatchObject({ exitCode: 0 });
    await run(["report", "--set", "one-topic", "--out", "one-topic.html"]);
    const html = await page("one-topic.html");
    expect(html).toContain("Anchors are the prompts that the set was built with");
    expect(html).toContain("<dt>Highest expected quality over all topics</dt>");
    // Topics that nobody named are clusters, and are shown as such.
    const clusters = [...html.matchAll(/<th scope="row">(Cluster \d) <small>(\d+) anchors, clustered</g)];
    expect(clusters.map(([, name]) => name)).toEqual(["Cluster 1", "Cluster 2"]);
    expect(clusters.reduce((sum, [, , anchors]) => sum + Number(anchors), 0)).toBe(80);
    expect(html).toContain(
      "no text is in a set that could name them. Build it from prompts with the column category",
    );
    expect(html).toContain("<small>2 topics, clustered</small>");
  });

  it("is the same for the same set and seed", async () => {
    await run(["report", "--set", "set", "--out", "a.html"]);
    await run(["report", "--set", "set", "--out", "b.html"]);
    expect(await page("a.html")).toBe(await page("b.html"));
  });

  it.each([
    { argv: ["--out", "report.pdf"], failure: /--out is .*report\.pdf; name a file that ends in \.html/ },
    {
      argv: ["--out", "r.html", "--prompts", "held-out.jsonl"],
      failure: "--prompts and --outcomes go together",
    },
    { argv: ["--out", "no/folder/r.html"], failure: /--out .* cannot be written/ },
  ])("explains $argv", async ({ argv, failure }) => {
    const found = await run(["report", "--set", "set", ...argv]);
    expect(found.exitCode).toBeGreaterThan(0);
    expect(found.failure).toMatch(failure);
  });
});
