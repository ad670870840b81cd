import { createHash } from "node:crypto";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { saveRecommendedWeight } from "../../../src/engine/profiles/saved-weights.js";
import type { MapData } from "../../../src/workbench/report/map-selection.js";
import { folderForTests } from "../../support/folders.js";
import { jsonLines, partOfSample, rowsOf, SAMPLE, sextant } from "./sample-commands.js";

const folder = folderForTests();
const profile = (line: string) => sextant(folder, `profile ${line}`);
const HELD_OUT = `--prompts held-out.jsonl --outcomes ${SAMPLE}`;

/** The page that a report writes. */
async function pageOf(name: string, line: string): Promise<string> {
  const { exitCode, stderr } = await profile(`report --out ${name}.html ${line}`);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return readFileSync(join(folder, `${name}.html`), "utf8");
}

/** Pages that several tests read. */
let expected = "";
let heldOut = "";
beforeAll(async () => {
  writeFileSync(join(folder, "known.jsonl"), partOfSample("prompts", "known"));
  writeFileSync(join(folder, "held-out.jsonl"), partOfSample("prompts", "held out"));
  const build = `build --keep-names --prompts known.jsonl --outcomes ${SAMPLE} --out set`;
  expect((await profile(build)).exitCode).toBe(0);
  expected = await pageOf("expected", "--set set");
  heldOut = await pageOf("held-out", `--set set ${HELD_OUT}`);
});

const withoutScript = (html: string) => html.slice(0, html.indexOf("<script"));
const between = (html: string, from: string, to: string) => html.slice(html.indexOf(from), html.indexOf(to));

describe("sextant profile report", () => {
  it("writes one page that loads nothing and allows its own script and style alone", async () => {
    expect((await profile("report --set set --out again.html")).stdout).toBe(
      `Wrote ${join(folder, "again.html")}\n`,
    );
    expect(readFileSync(join(folder, "again.html"), "utf8")).toBe(expected);
    expect(expected).not.toMatch(/<(link|img|iframe|object)\b|\bsrc=|@import|url\(|https?:/);
    expect(expected).not.toMatch(/\sstyle="/);
    const sample = await pageOf("sample", "--set set --max-points 20");
    expect(sample).toContain("Drawn are 20 of 80 anchors, chosen at random,");
    for (const element of ["style", 'script type="module"']) {
      const start = expected.indexOf(`<${element}>`) + element.length + 2;
      const text = expected.slice(start, expected.indexOf(`</${element.split(" ")[0]}>`, start));
      expect(expected).toContain(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    }
  });

  it("draws every anchor of a small set, with what the router expects there, and no text of a prompt", () => {
    const json = /<script type="application\/json" id="map-data">(.*)<\/script>/.exec(expected)?.[1] ?? "";
    const data: MapData = JSON.parse(json);
    expect(data.map).toHaveLength(80);
    for (const { x, y, topic, chosen, best } of data.map) {
      for (const place of [x, y]) expect(Math.abs(place - 0.5)).toBeLessThanOrEqual(0.5);
      expect(data.topics[topic]).toBeDefined();
      expect(best.map(({ model }) => model)).toContain(chosen);
      const qualities = best.map(({ quality }) => quality);
      expect(qualities).toEqual(qualities.toSorted((a, b) => b - a));
    }
    for (const { prompt } of rowsOf(join(folder, "known.jsonl"))) expect(expected).not.toContain(prompt);
  });

  it("shows expectations without held-out prompts, and with them cost weights and the calibration", () => {
    expect(expected).toContain("Expectations, not measurements: means over 80 profiled prompts");
    expect(expected).toContain("Calibration compares 320 graded answers in the set");
    for (const title of ["Cost and quality", "Cost weights that profile tune would save", "Calibration"])
      expect(between(heldOut, "On 40 held-out prompts", "<script")).toContain(`>${title}</h3>`);
    for (const html of [expected, heldOut])
      expect(withoutScript(html)).not.toMatch(/NaN|undefined|"-?Infinity/);
  });

  it("shows the quality at the cost weight that is saved in the set beside that at the weight of the decisions", async () => {
    cpSync(join(folder, "set"), join(folder, "tuned"), { recursive: true });
    // No weight that a sweep has by itself.
    const saved = { cost_weight: 0.777, rule: "max_loss", limit: 0.4, prompts: 1 } as const;
    await saveRecommendedWeight(join(folder, "tuned"), { ...saved, saved_at: "2026-01-02T00:00:00.000Z" });
    const html = await pageOf("tuned", `--set tuned ${HELD_OUT}`);
    expect(html).toContain("chosen by 1 held-out prompt, 2026-01-02");
    const fact = (name: string) =>
      new RegExp(`<dt>${name}</dt><dd>(0\\.\\d{3})<small>([^<]*)</small>`).exec(html)?.slice(1) ?? [];
    const [best, always] = fact("Quality on held-out prompts at cost weight 0");
    const [quality, against] = fact("Quality on held-out prompts at the saved cost weight 0\\.777");
    expect(Number(quality)).toBeLessThan(Number(best));
    expect(always).toMatch(/^always sample-large, the best single model there: 0\.\d{3}$/);
    expect(against).toMatch(/^−\d+\.\d\d points against cost weight [\d.]+, the best there$/);
    const table = html.slice(html.indexOf("Cost weights by held-out prompts"));
    const row = table.slice(table.indexOf('<th scope="row">saved in the set by profile tune</th>'));
    const cells = [...(row.split("</tr>")[0] ?? "").matchAll(/data-label="[^"]*">([^<]*)</g)];
    const figures = cells.map(([, figure]) => figure).join(" | ");
    expect(figures).toMatch(/^0\.777 \| −\d+\.\d\d \| −\d+\.\d\d \| \d+% less \| –$/);
    expect(cells[1]?.[1]).toBe(against?.split(" ")[0]);
    expect(html).toMatch(/class="tuned"[^>]*><title>tuned: cost weight 0\.777:/);
    // Decisions at the saved weight need no figure of their own.
    const same = await pageOf("at-tuned", `--set tuned ${HELD_OUT} --cost-weight .777`);
    expect(same).not.toContain("at the saved cost weight");
  });

  it("shows no knee where quality falls evenly with cost", async () => {
    const even = rowsOf(join(folder, "held-out.jsonl")).flatMap(({ id }) => [
      { id, model: "sample-large", score: 1, cost_usd: 0.01 },
      { id, model: "sample-small", score: 0, cost_usd: 0.001 },
    ]);
    writeFileSync(join(folder, "even.jsonl"), jsonLines(even));
    const html = await pageOf("even", "--set set --prompts held-out.jsonl --outcomes even.jsonl");
    const section = between(html, "On 40 held-out prompts", "as decisions expect them");
    expect(section).toMatch(/>knee: [^<]*<\/th><td colspan="5" class="muted">no pronounced knee: /);
    expect(section).not.toContain("the diamond is the knee");
  });

  it("clusters prompts without a category, and shows topics that nobody named as clusters", async () => {
    const plain = rowsOf(join(folder, "known.jsonl")).map(({ id, prompt }) => ({ id, prompt }));
    writeFileSync(join(folder, "no-category.jsonl"), jsonLines(plain));
    await profile(`build --prompts no-category.jsonl --outcomes ${SAMPLE} --out one-topic`);
    const html = await pageOf("one-topic", "--set one-topic");
    const clusters = [...html.matchAll(/<th scope="row">(Cluster \d) <small>(\d+) anchors, clustered</g)];
    expect(clusters.map(([, name]) => name)).toEqual(["Cluster 1", "Cluster 2"]);
    expect(clusters.reduce((sum, [, , anchors]) => sum + Number(anchors), 0)).toBe(80);
    expect(html).toContain(
      "no text is in a set that could name them. Build it from prompts with the column category",
    );
    expect(html).toContain("<small>2 topics, clustered</small>");
  });

  it.each([
    ["--out report.pdf", /--out is .*report\.pdf; name a file that ends in \.html/],
    ["--out r.html --prompts held-out.jsonl", /--prompts and --outcomes go together/],
    ["--out no/folder/r.html", /--out .* cannot be written/],
  ])("explains %s", async (line, failure) => {
    const { exitCode, stderr } = await profile(`report --set set ${line}`);
    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toMatch(failure);
  });
});
