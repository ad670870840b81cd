import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readOutcomes } from "../../../src/workbench/outcomes/read-outcomes.js";
import { collectAll, folderWith } from "../../engine/profiles/folder-for-test.js";

const FIXTURES = fileURLToPath(new URL("./fixtures", import.meta.url));

async function readText(name: string, text: string | Uint8Array) {
  return collectAll(readOutcomes(join(await folderWith({ [name]: text }), name)));
}

const COMPLETE = {
  ...{
    id: "a",
    model: "ann",
    score: 0.5,
    tokensIn: 7,
    tokensOut: 12.5,
    tokensReasoning: null,
    costUsd: 0.001,
    samples: 3,
  },
  probability: null,
  ...{ latencyMs: null, ttftMs: null, failures: null },
};
const BARE = {
  id: "b",
  model: "ann",
  score: null,
  tokensIn: null,
  tokensOut: null,
  tokensReasoning: null,
  costUsd: null,
  samples: 1,
  probability: null,
  ...{ latencyMs: null, ttftMs: null, failures: null },
};

describe("Reading outcomes", () => {
  it("accepts JSONL", async () => {
    const rows = await readText(
      "outcomes.jsonl",
      '{"id":"a","model":"ann","score":0.5,"tokens_in":7,"tokens_out":12.5,"cost_usd":0.001,"n_samples":3,"note":1}\n' +
        '\n{"id":"b","model":"ann","score":null}\n',
    );
    expect(rows).toEqual([
      { row: 1, ...COMPLETE },
      { row: 3, ...BARE },
    ]);
  });

  it("reads the seconds of a whole answer from the column that holds them", async () => {
    const csv = "id,model,score,latency_ms,took_s\na,ann,1,,2.5\nb,ann,1,700,\nc,ann,1,,\n";
    const file = join(await folderWith({ "outcomes.csv": csv }), "outcomes.csv");
    const timesOf = async (options: Parameters<typeof readOutcomes>[1]) =>
      (await collectAll(readOutcomes(file, options))).map(({ latencyMs }) => latencyMs);
    expect(await timesOf({ seconds: "took_s" })).toEqual([2500, 700, null]);
    expect(await timesOf({})).toEqual([null, 700, null]);
  });

  it("accepts CSV, plain and gzipped, with columns in any order", async () => {
    const csv =
      "model,id,score,cost_usd,tokens_out,tokens_in,n_samples\nann,a,.5,1e-3,12.5,7,3\nann,b,,,,,\n";
    const expected = [
      { row: 2, ...COMPLETE },
      { row: 3, ...BARE },
    ];
    expect(await readText("o.csv", csv)).toEqual(expected);
    expect(await readText("o.csv.gz", gzipSync(csv))).toEqual(expected);
  });

  it.each(["zstd", "snappy", "gzip", "none"])(
    "accepts Parquet of two row groups compressed with %s",
    async (codec) => {
      const rows = await collectAll(readOutcomes(join(FIXTURES, `two-row-groups.${codec}.parquet`)));
      expect(rows.map((row) => row.id)).toEqual(["p0", "p0", "p1", "p1", "p2", "p2", "p3", "p3", "p4", "p4"]);
      expect(rows.map((row) => row.score)).toEqual([1, 0, 0.5, null, 1, 1, 0.25, 0, null, 1]);
      expect(rows.map((row) => row.row)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(rows[0]).toMatchObject({
        model: "ann",
        tokensIn: null,
        tokensOut: 10,
        tokensReasoning: null,
        costUsd: 0.001,
        samples: 3,
      });
      expect(rows[9]).toMatchObject({
        model: "bob",
        tokensOut: 60.5,
        tokensReasoning: null,
        costUsd: null,
        samples: 1,
      });
    },
  );

  it("accepts integers as ids", async () => {
    expect((await readText("o.jsonl", '{"id":17,"model":"ann","score":1}'))[0]?.id).toBe("17");
  });

  it.each([
    [
      "a score above 1",
      '{"id":"a","model":"m","score":1.4}',
      'line 1, field "score": is 1.4, outside [0, 1]',
    ],
    [
      "a score below 0",
      '{"id":"a","model":"m","score":-0.1}',
      'line 1, field "score": is -0.1, outside [0, 1]',
    ],
    [
      "a score in words",
      '{"id":"a","model":"m","score":"good"}',
      'field "score": is "good", not a finite number',
    ],
    [
      "a truth value as an amount",
      '{"id":"a","model":"m","score":true,"tokens_out":true}',
      'field "tokens_out": is true, not a finite number',
    ],
    ["no score field", '{"id":"a","model":"m"}', 'outcomes need "score", found only: id, model'],
    ["no model", '{"id":"a","model":"","score":1}', 'field "model": is missing'],
    ["a list as id", '{"id":[1],"model":"m","score":1}', 'field "id": is [1]'],
    ["a negative cost", '{"id":"a","model":"m","score":1,"cost_usd":-1}', 'field "cost_usd": is -1, below 0'],
    [
      "negative tokens",
      '{"id":"a","model":"m","score":1,"tokens_out":-5}',
      'field "tokens_out": is -5, below 0',
    ],
    [
      "no samples",
      '{"id":"a","model":"m","score":1,"n_samples":0}',
      'field "n_samples": is 0, not a whole number',
    ],
    [
      "more samples than fit a weight",
      '{"id":"a","model":"m","score":1,"n_samples":4294967296}',
      'field "n_samples": is 4294967296, not a whole number from 1 to 1000000',
    ],
    ["half a sample", '{"id":"a","model":"m","score":1,"n_samples":1.5}', 'field "n_samples": is 1.5'],
    ["NaN", '{"id":"a","model":"m","score":NaN}', "line 1: the line is not a JSON object"],
    ["a list", "[1]", "line 1: the line is not a JSON object"],
  ])("refuses %s, naming line, field and value", async (_, line, message) => {
    await expect(readText("o.jsonl", line)).rejects.toThrow(message);
  });

  it("takes truth values as scores, as JSON and as pandas writes them in CSV", async () => {
    const json = '{"id":"a","model":"m","score":true}\n{"id":"b","model":"m","score":false}';
    const scores = async (name: string, text: string) =>
      (await readText(name, text)).map(({ score }) => score);
    expect(await scores("o.jsonl", json)).toEqual([1, 0]);
    expect(await scores("o.csv", "id,model,score\na,m,True\nb,m,False\nc,m,TRUE\nd,m,\n")).toEqual([
      1,
      0,
      1,
      null,
    ]);
  });

  it("refuses NaN in CSV and Parquet", async () => {
    await expect(readText("o.csv", "id,model,score\na,m,NaN\n")).rejects.toThrow(
      'line 2, field "score": is "NaN", not a finite number; write a number, or null (an empty cell in CSV)',
    );
    await expect(collectAll(readOutcomes(join(FIXTURES, "nan-score.parquet")))).rejects.toThrow(
      'nan-score.parquet, row 2, field "score": is NaN, not a finite number',
    );
  });

  it("names the columns of a line that lacks some, the first of many", async () => {
    const line = JSON.stringify({
      ["x".repeat(10_000)]: 1,
      ...Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`column${at}`, 1])),
    });
    const message = await readText("o.jsonl", line).catch((error: Error) => error.message);
    expect(message).toContain('outcomes need "id", "model", "score", found only: xxx');
    expect(String(message).length).toBeLessThan(1000);
  });

  it("refuses missing columns", async () => {
    await expect(readText("o.csv", "id,name\na,m\n")).rejects.toThrow(
      'line 2: outcomes need "model", "score", found only: id, name; rename or add them',
    );
    await expect(collectAll(readOutcomes(join(FIXTURES, "no-score-column.parquet")))).rejects.toThrow(
      'row 1: outcomes need "score", found only: id, model',
    );
  });

  it("refuses an invalid, missing or truncated Parquet file", async () => {
    const broken = "the file is not readable as parquet";
    await expect(readText("o.parquet", "not parquet at all, but long enough")).rejects.toThrow(broken);
    await expect(readText("o.parquet", "")).rejects.toThrow(broken);
    await expect(collectAll(readOutcomes("nowhere/o.parquet"))).rejects.toThrow("cannot be opened");
  });

  it("refuses other kinds of files", async () => {
    await expect(collectAll(readOutcomes("o.xlsx"))).rejects.toThrow(
      "outcomes are read from .parquet, .csv, .jsonl",
    );
  });

  it("closes the file when iteration stops early", async () => {
    const rows = readOutcomes(join(FIXTURES, "two-row-groups.zstd.parquet"));
    expect((await rows.next()).value?.id).toBe("p0");
    expect((await rows.return(undefined)).done).toBe(true);
  });
});
