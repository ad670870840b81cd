import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Connection, Database } from "../../../src/traces/duckdb/database.js";
import { MetadataSlots } from "../../../src/traces/duckdb/metadata-slots.js";
import { Names } from "../../../src/traces/duckdb/names.js";
import { migrate } from "../../../src/traces/duckdb/schema.js";
import { HOSTILE } from "../trace-for-test.js";
import { openDatabase } from "./database-for-test.js";

let folder = "";
let database: Database;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sextant-names-"));
  database = await openDatabase(join(folder, "a.duckdb"));
  connection = await database.connect();
  await migrate(connection);
});
afterEach(() => {
  connection.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("names", () => {
  it("have a number each from 1 on, whatever they are, and keep it from life to life", async () => {
    const names = await Names.of(connection);
    const numbers = await names.numbersOf(connection, HOSTILE);
    expect(numbers).toEqual(HOSTILE.map((_, at) => at + 1));
    const later = await Names.of(connection);
    expect(await later.numbersOf(connection, ["new", ...HOSTILE])).toEqual([HOSTILE.length + 1, ...numbers]);
    const nameOf = await later.namesOf(connection, [0, ...numbers]);
    expect(numbers.map(nameOf)).toEqual(HOSTILE);
    expect(nameOf(0)).toBeNull();
  });

  it("that no trace has have no number", async () => {
    const names = await Names.of(connection);
    expect(await names.numberOf(connection, "x")).toBeUndefined();
  });

  it("that are the same as UTF-8 have the same number, however they are asked for", async () => {
    const names = await Names.of(connection);
    expect(await names.numbersOf(connection, ["\ud800", "\udc00", "\ufffd"])).toEqual([1, 1, 1]);
    expect(await names.numberOf(connection, "\ud801")).toBe(1);
  });

  it("are right however many there are", async () => {
    const names = await Names.of(connection);
    const many = Array.from({ length: 50_010 }, (_, at) => `source ${at}`);
    const numbers = await names.numbersOf(connection, many);
    expect(new Set(numbers).size).toBe(many.length);
    const nameOf = await names.namesOf(connection, numbers);
    expect(numbers.map(nameOf)).toEqual(many);
    expect(await names.numbersOf(connection, many)).toEqual(numbers);
  });
});

describe("metadata keys", () => {
  it("get the eight slots in the order in which they come, and keep them", async () => {
    const slots = await MetadataSlots.of(connection);
    await slots.assign(connection, ["a", "b", "a"]);
    await slots.assign(
      connection,
      Array.from({ length: 10 }, (_, at) => `key ${at}`),
    );
    const later = await MetadataSlots.of(connection);
    for (const each of [slots, later]) {
      expect(["b", "a", "key 5", "key 6"].map((key) => each.slotOf(key))).toEqual([1, 0, 7, undefined]);
    }
  });

  it("that are not kept as they are get none, because two of them could be one", async () => {
    const slots = await MetadataSlots.of(connection);
    await slots.assign(connection, ["\ud800", "\ufffd", "\ufeffbom"]);
    const later = await MetadataSlots.of(connection);
    for (const each of [slots, later]) {
      expect(["\ud800", "\ufffd", "\ufeffbom"].map((key) => each.slotOf(key))).toEqual([undefined, 0, 1]);
    }
  });
});
