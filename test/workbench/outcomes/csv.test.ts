import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameCsvCells, parseCsv } from "../../../src/workbench/outcomes/csv.js";
import { splitLines } from "../../../src/workbench/outcomes/text-lines.js";
import { collectAll } from "../../engine/profiles/folder-for-test.js";

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const recordsOf = (chunks: AsyncIterable<Uint8Array>) => parseCsv(splitLines(chunks, "file.csv"), "file.csv");
const parse = (text: string, size = 1_000_000) => collectAll(recordsOf(chunksOf(text, size)));
const cellsOf = async (text: string, size?: number) =>
  (await parse(text, size)).map((record) => record.cells);

describe("Parsing CSV", () => {
  it("splits cells at commas, keeps empty ones and accepts LF and CRLF", async () => {
    expect(await cellsOf("a,b,c\r\n1,,3\n,,\nlast,one,")).toEqual([
      ["a", "b", "c"],
      ["1", "", "3"],
      ["", "", ""],
      ["last", "one", ""],
    ]);
  });

  it("reports the line on which a record begins", async () => {
    const records = await parse('h\n"two\nlines"\n\nnext\n');
    expect(records.map((record) => record.row)).toEqual([1, 2, 5]);
  });

  it("restores any table written with every cell quoted, cut at every byte", async () => {
    const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", "é", "🙂", " ") });
    const row = (width: number) => fc.array(cell, { minLength: width, maxLength: width });
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(row(width), { minLength: 1, maxLength: 5 }));
    const property = fc.asyncProperty(table, fc.constantFrom("\n", "\r\n"), async (rows, lineEnd) => {
      const written = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(","));
      expect(await cellsOf(written.map((line) => line + lineEnd).join(""), 1)).toEqual(rows);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ['a\nb"c\n', "a quote stands within an unquoted cell"],
    ['a\n"b"c\n', "text follows a closing quote"],
    ['a\n"b\nc\n', "a quoted cell is never closed"],
  ])("refuses misplaced and unclosed quotes, naming the line: %j", async (text, problem) => {
    await expect(parse(text)).rejects.toThrow(`file.csv, line 2: ${problem}`);
  });

  it("gives up on a quote that is never closed after a million characters, naming its line", async () => {
    async function* endless() {
      yield new TextEncoder().encode('id,prompt\na,"open\n');
      for (let piece = 0; piece < 40; piece++) yield new TextEncoder().encode(`${"x".repeat(65_535)}\n`);
      throw new Error("the file was read on");
    }
    await expect(collectAll(recordsOf(endless()))).rejects.toThrow(
      "file.csv, line 2: the record is longer than 1 MiB",
    );
  });
});

describe("Naming the cells of a CSV record", () => {
  const name = (text: string) => collectAll(nameCsvCells(recordsOf(chunksOf(text, 1_000)), "file.csv"));

  it("takes names from the first record and reads an empty cell as null", async () => {
    expect(await name("id, score\nx,\n")).toEqual([{ row: 2, values: { id: "x", score: null } }]);
  });

  it("refuses a record with another number of cells", async () => {
    await expect(name("id,score\nx,1,2\n")).rejects.toThrow(
      "file.csv, line 2: the record has 3 cells where the header has 2; quote cells that hold commas",
    );
  });
});
