import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findDataFiles } from "../../../src/workbench/outcomes/find-files.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";

describe("Finding data files", () => {
  it("returns a file itself, and from a folder the files named for the kind, sorted by name", async () => {
    const folder = await folderWith({
      ...{
        "prompts.jsonl.gz": "",
        "prompts-2.jsonl": "",
        "outcomes.parquet": "",
        "outcomes-2.csv": "",
        "notes.md": "",
      },
      ...{ "extra.jsonl": "" },
    });
    expect(await findDataFiles([folder], "prompts")).toEqual([
      join(folder, "prompts-2.jsonl"),
      join(folder, "prompts.jsonl.gz"),
    ]);
    expect(await findDataFiles([folder, join(folder, "extra.jsonl")], "outcomes")).toEqual([
      join(folder, "outcomes-2.csv"),
      join(folder, "outcomes.parquet"),
      join(folder, "extra.jsonl"),
    ]);
  });

  it("returns every readable file of a folder where none is named for the kind", async () => {
    const folder = await folderWith({
      "gsm.csv": "",
      "mmlu.jsonl": "",
      "prompts.jsonl": "",
      "readme.txt": "",
    });
    expect(await findDataFiles([folder], "outcomes")).toEqual([
      join(folder, "gsm.csv"),
      join(folder, "mmlu.jsonl"),
    ]);
  });

  it("takes tables of prompts where a folder has none in JSONL", async () => {
    const tables = await folderWith({ "questions.csv": "", "outcomes.jsonl": "" });
    expect(await findDataFiles([tables], "prompts")).toEqual([join(tables, "questions.csv")]);
    const both = await folderWith({ "questions.jsonl": "", "graded.csv": "" });
    expect(await findDataFiles([both], "prompts")).toEqual([join(both, "questions.jsonl")]);
  });

  it("refuses a path that does not exist and a folder without such files", async () => {
    const folder = await folderWith({ "outcomes.csv": "" });
    await expect(findDataFiles([join(folder, "no")], "prompts")).rejects.toThrow(
      "there is no such file or folder of prompts; check the path",
    );
    await expect(findDataFiles([folder], "prompts")).rejects.toThrow(
      `${folder}: the folder holds no prompts (.parquet, .csv, .jsonl, .csv.gz or .jsonl.gz); name the right folder or file`,
    );
  });
});
