import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { OutcomeDataError } from "../../../src/workbench/outcomes/outcome-data-error.js";
import { readPublishedScores } from "../../../src/workbench/outcomes/published-scores.js";
import { collectAll, folderWith } from "../../engine/profiles/folder-for-test.js";
import { rejectionOf } from "../../support/errors.js";

const HEADER = "model,effort,benchmark,score,source,date,released,output_usd_per_mtok";

async function read(name: string, content: string | Uint8Array) {
  const asked: unknown[] = [];
  const file = join(await folderWith({ [name]: content }), name);
  const rename = (model: string, effort: string | null | undefined): string => {
    asked.push(effort);
    return effort ? `${model}:${effort}` : model;
  };
  return { scores: await collectAll(readPublishedScores(file, { rename })), asked };
}

const errorOf = (name: string, content: string) => rejectionOf(read(name, content), OutcomeDataError);

const row = (more: object = {}): string =>
  JSON.stringify({ model: "oak", benchmark: "logic", score: 0.5, source: "https://example.com", ...more });

describe("Published scores", () => {
  it("are read from CSV, one score per row, with empty cells as unknown", async () => {
    const content = [
      HEADER,
      "oak,,logic,0.5,https://example.com,2026-01-02,2025-11-01,3.5",
      'oak,high,"logic, hard",.25,https://example.com,,,',
    ].join("\n");
    const { scores, asked } = await read("scores.csv", content);
    const source = "https://example.com";
    const facts = { date: "2026-01-02", released: "2025-11-01", outputUsdPerMtok: 3.5 };
    const nothing = { date: null, released: null, outputUsdPerMtok: null };
    expect(scores).toEqual([
      { model: "oak", benchmark: "logic", score: 0.5, source, ...facts },
      { model: "oak:high", benchmark: "logic, hard", score: 0.25, source, ...nothing },
    ]);
    expect(asked).toEqual([null, "high"]);
  });

  it("are read from JSON Lines, also gzipped, where a table without efforts differs from an unset effort", async () => {
    const rows = [row(), row({ effort: null }), row({ effort: "low", score: 1 }), row({ score: 0 })];
    const plain = await read("scores.jsonl", rows.join("\n"));
    const found = plain.scores.map(({ model, score }) => `${model} ${score}`);
    expect(found).toEqual(["oak 0.5", "oak 0.5", "oak:low 1", "oak 0"]);
    expect(plain.asked).toEqual([undefined, null, "low", undefined]);
    expect(await read("scores.jsonl.gz", gzipSync(rows.join("\n")))).toEqual(plain);
  });

  it.each([
    [84.5, /"score": is 84.5, not a number in \[0, 1\]; divide percentages by 100/],
    [-0.1, /"score": is -0.1, not a number in \[0, 1\]; .*subtract from 1 where lower is better/],
    [null, /"score": is .*, not a number in \[0, 1\]/],
    ["high", /"score": is "high", not a finite number; write a number/],
  ])("are refused with the score %j, naming line, field, value and remedy", async (score, message) => {
    const error = await errorOf("scores.jsonl", [row(), row({ score })].join("\n"));
    expect(error.message).toMatch(message);
    expect([error.row, error.field]).toEqual([2, "score"]);
    expect(error.message).toContain("scores.jsonl, line 2");
  });

  it.each(["model", "benchmark", "source"])("are refused without %s", async (field) => {
    const error = await errorOf("scores.jsonl", row({ [field]: undefined }));
    expect([error.row, error.field]).toEqual([1, field]);
    expect(error.message).toContain("is missing; give every row a non-empty text");
  });

  it.each([
    ["model,score,source\noak,0.5,here", "benchmark", "is missing"],
    [`${HEADER}\noak,,logic,0.5,here,,,three dollars`, "output_usd_per_mtok", 'is "three dollars", not a'],
  ])("are refused in CSV: %j has no valid %s", async (content, field, problem) => {
    const error = await errorOf("scores.csv", content);
    expect([error.row, error.field]).toEqual([2, field]);
    expect(error.message).toContain(problem);
  });

  it("are refused in another kind of file, naming the supported kinds", async () => {
    const error = await errorOf("scores.xlsx", "");
    expect(error.message).toMatch(/scores\.xlsx: published scores are read from \.jsonl or \.csv/);
  });
});
