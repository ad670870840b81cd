import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { promptMessages, samplePrompts, textOfPrompt } from "../../../src/workbench/prompts/prompt.js";
import { type PromptColumns, readPromptTable } from "../../../src/workbench/prompts/read-prompts.js";
import { folderForTest } from "../../support/folders.js";

function fileWith(name: string, content: string | Uint8Array): string {
  const path = join(folderForTest(), name);
  writeFileSync(path, content);
  return path;
}

const read = (name: string, content: string | Uint8Array, columns: PromptColumns = {}) =>
  readPromptTable(fileWith(name, content), { columns });

const QUESTION = { prompt: "What is 2 + 2?", reference: "4", id: "7", benchmark: "sums", category: null };
const OWN = { prompt: "question", reference: "answer", id: "nr" };

describe("Prompts", () => {
  const line = '{"id": 7, "prompt": "What is 2 + 2?", "reference": 4, "benchmark": "sums"}\n';
  const table = { nr: "7", question: "What is 2 + 2?", answer: "4", benchmark: "sums" };
  const parquet = new Uint8Array(
    parquetWriteBuffer({
      columnData: Object.entries(table).map(([name, value]) => ({ name, data: [value] })),
    }),
  );
  const csv = [Object.keys(table), Object.values(table)].map((row) => `${row.join(",")}\n`).join("");

  it.each<[string, string | Uint8Array, PromptColumns]>([
    ["p.jsonl", line, {}],
    ["p.jsonl.gz", gzipSync(line), {}],
    ["p.csv", csv, OWN],
    ["p.parquet", parquet, OWN],
  ])("are read from %s, with columns of other names", async (name, content, columns) => {
    expect(await read(name, content, columns)).toEqual([QUESTION]);
  });

  it("in Parquet without their column are refused, with those that were found", async () => {
    await expect(read("p.parquet", parquet)).rejects.toThrow(
      'row 1: there is no column "prompt", found only: nr, question, answer, benchmark',
    );
  });

  it("are read from a folder that holds one file of them", async () => {
    const folder = folderForTest();
    writeFileSync(join(folder, "prompts.jsonl"), line);
    expect(await readPromptTable(folder)).toEqual([QUESTION]);
    writeFileSync(join(folder, "prompts-2.jsonl"), line);
    await expect(readPromptTable(folder)).rejects.toThrow("the folder holds 2 files of prompts; name one");
  });

  it("may be chats, and have several right answers or an object as one", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Capital of France?" }] },
    ];
    const rows = [
      { id: "a", messages, reference: ["Paris", "paris", 1] },
      { id: "b", prompt: "x", reference: { type: "object" } },
    ];
    const [chat, other] = await read("p.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    expect(chat).toMatchObject({ prompt: messages, reference: ["Paris", "paris", "1"] });
    expect(other?.reference).toBe('{"type":"object"}');
    expect(textOfPrompt(chat ?? { prompt: "" })).toBe("system: Be brief.\n\nuser: Capital of France?");
    expect(promptMessages({ prompt: "x" }, { system: "Be kind." })).toEqual([
      { role: "system", content: "Be kind." },
      { role: "user", content: "x" },
    ]);
  });

  it("without ids get ones made of their texts, the same in every order", async () => {
    const [first, second] = await read("p.jsonl", '{"prompt": "a"}\n{"prompt": "b"}');
    const [again] = await read("p.jsonl", '{"prompt": "b"}');
    expect(again?.id).toBe(second?.id);
    expect(first?.id).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each<[string, string, PromptColumns, string]>([
    ["p.jsonl", '{"text": "x"}', {}, 'p.jsonl, line 1: there is no column "prompt", found only: text; name'],
    ["p.csv", "a,b\n1,2\n", { prompt: "c" }, 'p.csv, line 2: there is no column "c", found only: a, b'],
    ["p.jsonl", '{"prompt": "x"}\n{"prompt": " "}', {}, 'line 2, field "prompt": is empty; remove the row'],
    ["p.jsonl", '{"prompt": 7}', {}, 'field "prompt": is neither a text nor a list of messages'],
    ["p.jsonl", '{"messages": [{"text": "x"}]}', {}, 'field "messages": is neither a text nor a list'],
    ["p.jsonl", '{"id": 1, "prompt": "x"}\n{"id": 1, "prompt": "y"}', {}, 'the id "1" is that of row 1 too'],
    ["p.jsonl", '{"prompt": "x"}\n{"prompt": "x"}', {}, "line 2: the prompt is the same as that of row 1"],
    ["p.jsonl", '{"id": "", "prompt": "x"}', {}, 'field "id": is missing'],
    ["p.jsonl", "\n", {}, "p.jsonl: there are no prompts in it"],
    ["p.txt", "x", {}, "prompts are read from .jsonl, .csv or .parquet"],
  ])("in %s are refused: %j", async (name, text, columns, message) => {
    await expect(read(name, text, columns)).rejects.toThrow(message);
  });
});

describe("A sample of prompts", () => {
  const all = Array.from({ length: 100 }, (_, index) => ({ id: `p${index}`, prompt: `${index}` }));
  const ids = (size: number, seed = 0) => samplePrompts(all, { size, seed }).map(({ id }) => id);

  it("has that many, in order, and is contained in a larger one", () => {
    expect(ids(10)).toHaveLength(10);
    expect(ids(30)).toEqual(expect.arrayContaining(ids(10)));
    const positions = ids(10).map((id) => all.findIndex((prompt) => prompt.id === id));
    expect(positions).toEqual([...positions].sort((one, other) => one - other));
  });

  it("is another one with another seed, and all when it is as large", () => {
    expect(ids(10, 1)).not.toEqual(ids(10));
    expect(ids(100)).toHaveLength(100);
    expect(ids(1000)).toHaveLength(100);
  });

  it.each([0, 1.5])("is refused with a size of %d", (size) => {
    expect(() => ids(size)).toThrow(`\`size\` is ${size}: it must be a whole number of at least 1`);
  });
});
