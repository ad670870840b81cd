import { basename } from "node:path";
import { expect, it } from "vitest";
import { findDataFiles } from "../../../src/workbench/outcomes/find-files.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

const folderOf = (names: readonly string[]) =>
  folderWith(Object.fromEntries(names.map((name) => [name, ""])));

const NAMED = [
  ...["prompts.jsonl.gz", "prompts-2.jsonl", "outcomes.parquet", "outcomes-2.csv"],
  ...["notes.md", "extra.jsonl"],
];

it.each([
  ["the files named for the kind", NAMED, "prompts", ["prompts-2.jsonl", "prompts.jsonl.gz"]],
  ["the files named for the kind", NAMED, "outcomes", ["outcomes-2.csv", "outcomes.parquet"]],
  [
    "every readable file where none is named for the kind",
    ["gsm.csv", "mmlu.jsonl", "prompts.jsonl", "readme.txt"],
    "outcomes",
    ["gsm.csv", "mmlu.jsonl"],
  ],
  ["tables where there are no lines", ["questions.csv", "outcomes.jsonl"], "prompts", ["questions.csv"]],
  ["lines rather than tables", ["questions.jsonl", "graded.csv"], "prompts", ["questions.jsonl"]],
] as const)("findDataFiles takes from a folder, in order, %s: %j for %s", async (_, names, kind, found) => {
  const files = await findDataFiles([await folderOf(names)], kind);
  expect(files.map((path) => basename(path))).toEqual(found);
});

it("findDataFiles takes a file itself, in the order that is given", async () => {
  const folder = await folderOf(NAMED);
  const files = await findDataFiles([folder, `${folder}/extra.jsonl`], "outcomes");
  expect(files.map((path) => basename(path)).at(-1)).toBe("extra.jsonl");
});

it("findDataFiles refuses a path that does not exist and a folder without such files", async () => {
  const folder = await folderOf(["outcomes.csv"]);
  await expect(findDataFiles([`${folder}/no`], "prompts")).rejects.toThrow(
    "there is no such file or folder of prompts; check the path",
  );
  await expect(findDataFiles([folder], "prompts")).rejects.toThrow(
    `${folder}: the folder holds no prompts (.parquet, .csv, .jsonl, .csv.gz or .jsonl.gz); name the right folder or file`,
  );
});
