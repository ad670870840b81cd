import { describe, expect, it } from "vitest";
import { PARTS, parseOptions } from "../../../bench/traces/options.js";

describe("The flags of `bench traces`", () => {
  it("measure everything on a million rows of a file by default", () => {
    expect(parseOptions([])).toEqual({
      rows: [1_000_000],
      parts: PARTS,
      store: "duckdb",
      clickhouseUrl: undefined,
      seed: 1,
      rounds: 30,
      keep: undefined,
    });
  });

  it("accept several sizes and some of the measurements", () => {
    expect(parseOptions(["--rows", "1000,2000", "--only", "search,lookup"])).toMatchObject({
      rows: [1000, 2000],
      parts: ["search", "lookup"],
    });
  });

  it.each([
    ["--rows 1e6", ["--rows", "1e6"], /--rows 1e6: it must be a whole number from 1 on/],
    ["--rows 0", ["--rows", "0"], /--rows 0/],
    ["a part that is none", ["--only", "everything"], /--only everything: it must be one of append, search/],
    ["another store", ["--store", "sqlite"], /--store sqlite: it must be one of duckdb, clickhouse/],
    ["ClickHouse without its address", ["--store", "clickhouse"], /belong together/],
    ["an address without ClickHouse", ["--clickhouse-url", "http://h:1"], /belong together/],
    [
      "keeping what a server has",
      ["--store", "clickhouse", "--clickhouse-url", "http://h:1", "--keep", "folder"],
      /--keep is for --store duckdb/,
    ],
  ])("refuse %s with the remedy", (_, args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });
});
