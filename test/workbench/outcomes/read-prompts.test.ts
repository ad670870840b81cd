import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { type PromptFileOptions, readPrompts } from "../../../src/workbench/outcomes/read-prompts.js";
import { collectAll, folderWith } from "../../engine/profiles/folder-for-test.js";

async function read(text: string, options?: PromptFileOptions) {
  return collectAll(readPrompts(join(await folderWith({ "prompts.jsonl": text }), "prompts.jsonl"), options));
}

describe("Reading prompts", () => {
  it("returns id, benchmark, category and text, and ignores further fields", async () => {
    const rows = await read(
      '{"id":"a","benchmark":"sums","category":"easy","prompt":"What is 1 + 1?","seen":false}\n{"id":2,"prompt":"Hi"}',
    );
    expect(rows).toEqual([
      { row: 1, id: "a", benchmark: "sums", category: "easy", text: "What is 1 + 1?" },
      { row: 2, id: "2", benchmark: null, category: null, text: "Hi" },
    ]);
  });

  it("reads tables in CSV and Parquet alike", async () => {
    const folder = await folderWith({
      "p.csv": 'id,category,prompt\n1,sums,"What is 1 + 1,\nplease?"\n2,,Hi\n',
    });
    const columnData = [
      { name: "id", data: [1, 2], type: "INT32" as const },
      { name: "category", data: ["sums", null], type: "STRING" as const },
      { name: "prompt", data: ["What is 1 + 1,\nplease?", "Hi"], type: "STRING" as const },
    ];
    await writeFile(join(folder, "p.parquet"), new Uint8Array(parquetWriteBuffer({ columnData })));
    for (const name of ["p.csv", "p.parquet"]) {
      const rows = await collectAll(readPrompts(join(folder, name)));
      expect(rows.map(({ id, category, text }) => ({ id, category, text }))).toEqual([
        { id: "1", category: "sums", text: "What is 1 + 1,\nplease?" },
        { id: "2", category: null, text: "Hi" },
      ]);
    }
  });

  it("lets the caller derive the text of a chat", async () => {
    const line = '{"id":"a","messages":[{"role":"user","content":"Hello"}]}';
    const options = { textOfMessages: (messages: readonly unknown[]) => `${messages.length} message` };
    expect((await read(line, options))[0]?.text).toBe("1 message");
    await expect(read(line)).rejects.toThrow(
      'field "messages": chats cannot be read here; give the text as "prompt"',
    );
    await expect(read(line, { textOfMessages: () => " " })).rejects.toThrow('field "messages": is empty');
  });

  it.each([
    ["an empty prompt", '{"id":"a","prompt":"  "}', 'line 1, field "prompt": is empty; remove the prompt'],
    ["no prompt", '{"id":"a"}', 'line 1: the row has neither a text "prompt" nor "messages"; add one'],
    ["no id", '{"prompt":"Hi"}', 'line 1, field "id": is missing; give every row a non-empty text'],
    [
      "a line nested 200,000 deep",
      `{"id":"a","prompt":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      "line 1: lists and objects are nested more than 256 levels deep; write flatter ones",
    ],
  ])("refuses %s", async (_, line, message) => {
    await expect(read(line)).rejects.toThrow(message);
  });

  it("does not quote an invalid line, since it may contain a prompt", async () => {
    await expect(read('{"id":"a","prompt":"secret words}')).rejects.toThrow(/^(?!.*secret)/s);
  });

  it("refuses other kinds of files", async () => {
    await expect(collectAll(readPrompts("prompts.txt"))).rejects.toThrow(
      "prompts are read from .parquet, .csv, .jsonl, .csv.gz or .jsonl.gz",
    );
  });

  it("from Parquet stops when it is aborted", async () => {
    const columnData = [{ name: "id", data: ["a"] }];
    const folder = await folderWith({
      "p.parquet": new Uint8Array(parquetWriteBuffer({ columnData })),
    });
    const options = { signal: AbortSignal.abort() };
    await expect(collectAll(readPrompts(join(folder, "p.parquet"), options))).rejects.toThrow("abort");
  });
});
