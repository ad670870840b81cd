import { expect, it } from "vitest";
import { catalogAgeNotes } from "../../../src/engine/catalog/catalog-age.js";
import { type CatalogFile, readCatalogFile } from "../../../src/engine/catalog/catalog-file.js";

it("A catalog of more than 30 days says so, with its day and the command", () => {
  const { as_of } = readCatalogFile("models.json") as CatalogFile;
  const after = (days: number) => catalogAgeNotes(new Date(Date.parse(as_of) + days * 86_400_000));
  expect(after(30)).toEqual([]);
  expect(after(31)).toEqual([
    expect.stringMatching(new RegExp(`those of ${as_of}, 31 days ago: .*npm run catalog:update`)),
  ]);
});
