import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readOutcomes } from "../../../src/workbench/outcomes/read-outcomes.js";
import { collectAll, folderWith } from "../../engine/profiles/folder-for-test.js";

const FIXTURES = fileURLToPath(new URL("./fixtures", import.meta.url));
const readFixture = (name: string) => collectAll(readOutcomes(join(FIXTURES, `${name}.parquet`)));

const read = async (name: string, text: string | Uint8Array, options?: Parameters<typeof readOutcomes>[1]) =>
  collectAll(readOutcomes(join(await folderWith({ [name]: text }), name), options));

const TOKENS = { tokensIn: null, tokensOut: null, tokensReasoning: null };
const TIMES = { latencyMs: null, ttftMs: null, failures: null };
const UNKNOWN = { ...TOKENS, ...TIMES, costUsd: null, probability: null, scale: null };
const FIGURES = { ...UNKNOWN, tokensIn: 7, tokensOut: 12.5, costUsd: 0.001 };
const COMPLETE = { ...FIGURES, id: "a", model: "ann", score: 0.5, samples: 3 };
const BARE = { ...UNKNOWN, id: "b", model: "ann", score: null, samples: 1 };

describe("Reading outcomes", () => {
  it("accepts JSONL, with further fields, integers as ids and empty lines", async () => {
    const complete = { id: "a", model: "ann", score: 0.5, tokens_in: 7, tokens_out: 12.5, cost_usd: 0.001 };
    const lines = [{ ...complete, n_samples: 3, note: 1 }, null, { id: 17, model: "ann", score: null }];
    const text = lines.map((line) => (line === null ? "" : JSON.stringify(line))).join("\n");
    expect(await read("o.jsonl", text)).toEqual([
      { row: 1, ...COMPLETE },
      { row: 3, ...BARE, id: "17" },
    ]);
  });

  it("accepts CSV, plain and gzipped, with columns in any order", async () => {
    const csv =
      "model,id,score,cost_usd,tokens_out,tokens_in,n_samples\nann,a,.5,1e-3,12.5,7,3\nann,b,,,,,\n";
    const expected = [
      { row: 2, ...COMPLETE },
      { row: 3, ...BARE },
    ];
    expect(await read("o.csv", csv)).toEqual(expected);
    expect(await read("o.csv.gz", gzipSync(csv))).toEqual(expected);
  });

  it.each(["zstd", "snappy", "gzip", "none"])(
    "accepts Parquet of two row groups compressed with %s",
    async (codec) => {
      const rows = await readFixture(`two-row-groups.${codec}`);
      expect(rows.map(({ row, id, score }) => `${row} ${id} ${score}`)).toEqual([
        ...["1 p0 1", "2 p0 0", "3 p1 0.5", "4 p1 null", "5 p2 1"],
        ...["6 p2 1", "7 p3 0.25", "8 p3 0", "9 p4 null", "10 p4 1"],
      ]);
      const first = { model: "ann", tokensOut: 10, costUsd: 0.001, samples: 3 };
      expect(rows[0]).toMatchObject({ ...UNKNOWN, ...first });
      expect(rows[9]).toMatchObject({ ...UNKNOWN, model: "bob", tokensOut: 60.5, samples: 1 });
    },
  );

  it("reads the seconds of a whole answer from the column that holds them", async () => {
    const csv = "id,model,score,latency_ms,took_s\na,ann,1,,2.5\nb,ann,1,700,\nc,ann,1,,\n";
    const timesOf = async (options: Parameters<typeof readOutcomes>[1]) =>
      (await read("outcomes.csv", csv, options)).map(({ latencyMs }) => latencyMs);
    expect(await timesOf({ seconds: "took_s" })).toEqual([2500, 700, null]);
    expect(await timesOf({})).toEqual([null, 700, null]);
  });

  it("takes truth values as scores, as JSON and as pandas writes them in CSV", async () => {
    const json = '{"id":"a","model":"m","score":true}\n{"id":"b","model":"m","score":false}';
    const csv = "id,model,score\na,m,True\nb,m,False\nc,m,TRUE\nd,m,\n";
    const scoresOf = async (name: string, text: string) => (await read(name, text)).map(({ score }) => score);
    expect([await scoresOf("o.jsonl", json), await scoresOf("o.csv", csv)]).toEqual([
      [1, 0],
      [1, 0, 1, null],
    ]);
  });

  it.each([
    ["a score above 1", { score: 1.4 }, 'line 1, field "score": is 1.4, outside [0, 1]'],
    ["a score in words", { score: "good" }, 'field "score": is "good", not a finite number'],
    ["a truth value as an amount", { tokens_out: true }, '"tokens_out": is true, not a finite number'],
    ["no score field", { score: undefined }, 'outcomes need "score", found only: id, model'],
    ["no model", { model: "" }, 'field "model": is missing'],
    ["a list as id", { id: [1] }, 'field "id": is [1]'],
    ["a negative cost", { cost_usd: -1 }, 'field "cost_usd": is -1, below 0'],
    ["no samples", { n_samples: 0 }, 'field "n_samples": is 0, not a whole number'],
    ["too many samples", { n_samples: 1e9 }, "is 1000000000, not a whole number from 1 to 1000000"],
  ])("refuses %s, naming line, field and value", async (_, fields, message) => {
    const line = JSON.stringify({ id: "a", model: "m", score: 1, ...fields });
    await expect(read("o.jsonl", line)).rejects.toThrow(message);
  });

  it.each([
    ["NaN", "o.jsonl", '{"id":"a","model":"m","score":NaN}', "line 1: the line is not a JSON object"],
    ["a list", "o.jsonl", "[1]", "line 1: the line is not a JSON object"],
    [
      "NaN",
      "o.csv",
      "id,model,score\na,m,NaN\n",
      'line 2, field "score": is "NaN", not a finite number; write',
    ],
    [
      "missing columns",
      "o.csv",
      "id,name\na,m\n",
      'line 2: outcomes need "model", "score", found only: id, name',
    ],
    ["an invalid file", "o.parquet", "not parquet at all, but long enough", "is not readable as parquet"],
    ["an empty file", "o.parquet", "", "the file is not readable as parquet"],
    ["another kind of file", "o.xlsx", "", "outcomes are read from .parquet, .csv, .jsonl"],
  ])("refuses %s in %s", async (_, name, text, message) => {
    await expect(read(name, text)).rejects.toThrow(message);
  });

  it("refuses NaN and missing columns in Parquet, and a file that is not there", async () => {
    await expect(readFixture("nan-score")).rejects.toThrow(
      'nan-score.parquet, row 2, field "score": is NaN, not a finite number',
    );
    await expect(readFixture("no-score-column")).rejects.toThrow(
      'row 1: outcomes need "score", found only: id, model',
    );
    await expect(readFixture("nowhere")).rejects.toThrow("cannot be opened");
  });

  it("names the columns of a line that lacks some, the first of many", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`column${at}`, 1]));
    const line = JSON.stringify({ ["x".repeat(10_000)]: 1, ...many });
    await expect(read("o.jsonl", line)).rejects.toThrow(
      /^(?=.{1,1000}$).*outcomes need "id", "model", "score", found only: xxx/s,
    );
  });
});
