import { describe, expect, it } from "vitest";
import { publishedScores } from "../../datasets/scores/published-scores.js";
import { folderWith } from "../engine/profiles/folder-for-test.js";

const TABLES = {
  uniform: ["uniform-2026-04.csv", "model,effort,release_date,price_output,mmlu_pro,gpqa,math_500"],
  open: ["scores-open.csv", "model,effort,benchmark,score,unit,source,date"],
  makers: ["models-dev-scores.csv", "model,benchmark,metric,score,variant,version,source,date"],
  served: ["models-served-2026-05.csv", "model,created,output_usd_per_mtok"],
} as const;

/** Tables as collected, of models that no catalog knows. */
async function collected(
  rows: Partial<Record<keyof typeof TABLES, readonly string[]>>,
  facts: readonly object[] = [],
  announced: Parameters<typeof publishedScores>[1] = [],
) {
  const tables = (Object.keys(TABLES) as (keyof typeof TABLES)[]).map((table) => {
    const [file, columns] = TABLES[table];
    return [file, [columns, ...(rows[table] ?? [])].join("\n")];
  });
  const catalog = facts.map((fact) => JSON.stringify(fact)).join("\n");
  const folder = await folderWith({ ...Object.fromEntries(tables), "models-dev.jsonl": catalog });
  return publishedScores(folder, announced);
}

const brief = (lines: Awaited<ReturnType<typeof collected>>) =>
  lines.map(({ model, benchmark, score }) => [model, benchmark, score]);

describe("The collected tables of published scores", () => {
  it("become one line a score, sorted, with source, date and facts of the model", async () => {
    const lines = await collected({ uniform: ["oak-2,,2026-01-05,4,0.8,0.5,"] });
    expect(brief(lines)).toEqual([
      ["oak-2", "gpqa", 0.5],
      ["oak-2", "mmlu_pro", 0.8],
    ]);
    expect(lines[0]).toMatchObject({ date: "2026-04", released: "2026-01-05", output_usd_per_mtok: 4 });
    expect(lines[0]?.source).not.toBe("");
  });

  it("have what makers announced of newer models beside makers' other figures", async () => {
    const lines = await collected(
      {},
      [],
      [["oak-3", "arithmetic/2", 0.7, "https://example.com/oak", "2026-11-01"]],
    );
    expect(lines).toMatchObject([
      { model: "oak-3", benchmark: "makers/arithmetic/2", score: 0.7, source: "https://example.com/oak" },
    ]);
  });

  it("map an effort to a variant, and the default effort to the plain model", async () => {
    const lines = await collected({
      uniform: ["oak-2,high,,,0.8,,", "oak-2,default,,,0.7,,", "oak-2,none,,,0.6,,", "oak-2,High,,,0.9,,"],
    });
    expect(brief(lines)).toEqual([
      ["oak-2", "mmlu_pro", 0.6],
      ["oak-2", "mmlu_pro", 0.7],
      ["oak-2:high", "mmlu_pro", 0.8],
      ["oak-2:high", "mmlu_pro", 0.9],
    ]);
  });

  it("convert percentages to shares, and invert scores for which lower is better", async () => {
    const lines = await collected({
      open: [
        "oak-2,,arithmetic,45,%,https://example.com/a,2026-02-01",
        "oak-2,,algebra,0.4,share,https://example.com/a,2026-02-01",
        "oak-2,,invention,3,% (lower better),https://example.com/a,",
        "oak-2,,tiny,0.5,%,https://example.com/a,",
        "oak-2,,rating,1450,elo,https://example.com/a,",
        "oak-2,,,0.4,share,https://example.com/a,",
      ],
    });
    expect(brief(lines)).toEqual([
      ["oak-2", "algebra", 0.4],
      ["oak-2", "arithmetic", 0.45],
      ["oak-2", "invention", 0.97],
      ["oak-2", "tiny", 0.005],
    ]);
    expect(lines[0]).toMatchObject({ source: "https://example.com/a", date: "2026-02-01" });
    expect(lines[2]?.date).toBeNull();
  });

  it("distinguish makers' variants, with efforts removed from the names", async () => {
    const lines = await collected({
      makers: [
        "oak-2,Logic,accuracy,50,,,https://example.com/oak,",
        "oak-2,Logic,percent,60,high effort,,https://example.com/oak,",
        "oak-2,Logic,pass@1,70,with tools,v2,https://example.com/oak,",
        "oak-2,Logic,rate,80,with tools; xhigh effort,v2,https://example.com/oak,",
      ],
    });
    expect(brief(lines)).toEqual([
      ["oak-2", "makers/Logic", 0.5],
      ["oak-2", "makers/Logic/with tools/v2", 0.7],
      ["oak-2:high", "makers/Logic", 0.6],
      ["oak-2:xhigh", "makers/Logic/with tools/v2", 0.8],
    ]);
  });

  it("take ratings of an Elo scale as shares of duels won against the average model", async () => {
    const ratings = [1500, 1900, 1100].map((rating) => `oak-2,Arena ${rating},Elo,${rating},,,,`);
    const lines = await collected({ makers: ratings });
    expect(lines.map(({ score }) => Math.round(100 * score) / 100)).toEqual([0.09, 0.5, 0.91]);
  });

  it("omit makers' figures that are not shares, values outside 0 to 100, and columns of other models", async () => {
    const lines = await collected({
      makers: [
        "oak-2,Contest,rating,90,,,https://example.com/oak,",
        "oak-2,Index,intelligence index,50,,,https://example.com/oak,",
        "oak-2,Logic,percent,50,comparison column; high effort,,https://example.com/oak,",
        "oak-2,Logic,percent,101,,,https://example.com/oak,",
        "oak-2,Logic,percent,-1,,,https://example.com/oak,",
        "oak-2,Logic,percent,unknown,,,https://example.com/oak,",
      ],
    });
    expect(lines).toEqual([]);
  });

  it("take release and price from the facts of the base model, also for its efforts; a price of zero is unknown", async () => {
    const uniform = ["oak-2,high,2020-01-01,99,0.8,,", "elm-1,,,,0.6,,", "ash-3,,2025-05-05,2,0.5,,"];
    const served = ["vendor/oak-2,2025-03-04,7", "elm-1,2025-08-09,0"];
    const lines = await collected({ uniform, served }, [
      { id: "oak-2", release_date: "2025-03-01", cost: { input: 1, output: 8 } },
      { id: "birch-9", release_date: null, cost: null },
    ]);
    const factsOf = (name: string) => {
      const line = lines.find(({ model }) => model === name);
      return [line?.released, line?.output_usd_per_mtok];
    };
    expect(factsOf("oak-2:high")).toEqual(["2025-03-01", 8]);
    expect(factsOf("elm-1")).toEqual(["2025-08-09", null]);
    expect(factsOf("ash-3")).toEqual(["2025-05-05", 2]);
  });
});
