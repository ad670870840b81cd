import { beforeEach, expect, it } from "vitest";
import { noteKnownRows, readKnownRows } from "../../../bench/traces/kept-rows.js";
import { MadeUpTraces } from "../../../bench/traces/made-up-traces.js";
import { FILTERS } from "../../../bench/traces/searches.js";
import { Tally } from "../../../bench/traces/tally.js";
import { folderForTest } from "../../support/folders.js";

let folder = "";
beforeEach(() => {
  folder = folderForTest();
});

it("A folder of kept rows has the counts that were taken when it was made", async () => {
  const tally = new Tally(FILTERS, { rows: 500, ids: 10 });
  const texts = { prompts: ["a prompt"], answers: ["an answer"] };
  for (const trace of new MadeUpTraces({ seed: 1, rows: 500, texts }).take(500)) tally.add(trace);
  await noteKnownRows(folder, { known: tally, filters: FILTERS });
  const known = await readKnownRows(folder);
  expect(FILTERS.map((filter) => known?.matching({ ...filter }))).toEqual(
    FILTERS.map((filter) => tally.matching(filter)),
  );
  expect(known?.ids).toEqual(tally.ids);
  expect(known?.contentBytes).toBe(tally.contentBytes);
  expect(known?.matching({ source: "never counted" })).toBeUndefined();
});

it("A folder of kept rows that was not filled to the end is not used", async () => {
  expect(await readKnownRows(folder)).toBeUndefined();
});
