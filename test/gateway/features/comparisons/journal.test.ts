import { expect, it } from "vitest";
import { ComparisonJournal } from "../../../../src/gateway/features/comparisons/journal.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";
import { MemoryStore } from "../../../fakes/store.js";
import { folderForTest } from "../../../support/folders.js";
import { RESULT } from "./result-for-test.js";

it("Results of comparisons count against the day's budget though the disk is full, and reach other processes after that", async () => {
  const store = new MemoryStore();
  const journal = new ComparisonJournal(store);
  const result = (at: number) => ({ ...RESULT, at });
  store.fault = new Error("the disk is full");
  await expect(journal.add(result(1))).rejects.toThrow("the disk is full");
  store.fault = undefined;
  expect(await journal.results()).toEqual([result(1)]);
  const other = new ComparisonJournal(store);
  await other.add(result(3));
  await Promise.all([journal.results(), journal.results()]);
  expect(await journal.results()).toEqual([result(1), result(3)]);
  expect(await other.results()).toEqual([result(3)]);
});

it("Prompts have the same digest in all processes of a store, and another in another store", async () => {
  const [store, elsewhere] = [new MemoryStore(), new MemoryStore()];
  const [one, other] = [new ComparisonJournal(store), new ComparisonJournal(store)];
  expect(await one.digestOf("a prompt")).toBe(await other.digestOf("a prompt"));
  expect(await one.digestOf("a prompt")).not.toBe(await one.digestOf("another prompt"));
  expect(await new ComparisonJournal(elsewhere).digestOf("a prompt")).not.toBe(
    await one.digestOf("a prompt"),
  );
});

it("The key of the digests is no result", async () => {
  const store = new SqliteStore(folderForTest());
  const journal = new ComparisonJournal(store);
  await journal.digestOf("a prompt");
  expect(await journal.results()).toEqual([]);
  await store.close();
});
