import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLines, splitLines } from "../../../src/workbench/outcomes/text-lines.js";
import { collectAll, folderWith } from "../../engine/profiles/folder-for-test.js";

const TEXT = "first\r\nzweite Zeile äöü\n\n四行目 🙂\nlast without an end";
const LINES = ["first\r", "zweite Zeile äöü", "", "四行目 🙂", "last without an end"];

async function* cutAt(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}

describe("Reading a text file line by line", () => {
  it("yields the same lines wherever the bytes are cut", async () => {
    const bytes = Buffer.from(TEXT);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const lines = await collectAll(splitLines(cutAt(bytes, [cut]), "file"));
      expect(lines.map((line) => line.text)).toEqual(LINES);
      expect(lines.map((line) => line.row)).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it("restores any text that was joined with line feeds, in chunks of any size", async () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", " "));
    const property = fc.asyncProperty(
      fc.array(line, { minLength: 1 }),
      fc.integer({ min: 1, max: 7 }),
      async (lines, size) => {
        const bytes = Buffer.from(`${lines.join("\n")}\n`);
        const cuts = Array.from(
          { length: Math.floor(bytes.length / size) },
          (_, index) => (index + 1) * size,
        );
        const read = await collectAll(splitLines(cutAt(bytes, cuts), "file"));
        expect(read.map(({ text }) => text)).toEqual(lines);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it("unpacks gzip, also with several members, and drops a byte order mark", async () => {
    const packed = Buffer.concat([gzipSync("\ufeffone\ntwo\n"), gzipSync("three\n")]);
    const folder = await folderWith({ "lines.jsonl.gz": packed });
    const lines = await collectAll(readLines(join(folder, "lines.jsonl.gz")));
    expect(lines.map((line) => line.text)).toEqual(["one", "two", "three"]);
  });

  it("reads an empty file as no lines", async () => {
    const folder = await folderWith({ "empty.csv": "" });
    expect(await collectAll(readLines(join(folder, "empty.csv")))).toEqual([]);
  });

  it("names the line that is not UTF-8", async () => {
    const folder = await folderWith({ "latin.jsonl": Buffer.from("good\nna\xefve\n", "latin1") });
    const file = join(folder, "latin.jsonl");
    await expect(collectAll(readLines(file))).rejects.toThrow(
      `${file}, line 2: the text is not UTF-8; save the file as UTF-8`,
    );
  });

  it("reports a truncated gzip file, at whichever byte it ends", async () => {
    const whole = gzipSync("one\ntwo\nthree\n");
    for (let length = 1; length < whole.length; length++) {
      const folder = await folderWith({ "cut.jsonl.gz": whole.subarray(0, length) });
      await expect(collectAll(readLines(join(folder, "cut.jsonl.gz")))).rejects.toThrow(
        "the gzip data end too early, the file is cut off; fetch or pack it again",
      );
    }
  });

  it("reports a .gz file that is not gzip, a missing file, and a folder", async () => {
    const folder = await folderWith({ "plain.jsonl.gz": "plain text" });
    const read = (name: string) => collectAll(readLines(join(folder, name)));
    await expect(read("plain.jsonl.gz")).rejects.toThrow("this is not valid gzip");
    await expect(read("missing.jsonl")).rejects.toThrow("there is no such file; check the path");
    await expect(read(".")).rejects.toThrow("this is a folder; name a file");
  });

  it("stops when it is aborted", async () => {
    const folder = await folderWith({ "lines.csv": "one\n" });
    const reading = collectAll(readLines(join(folder, "lines.csv"), { signal: AbortSignal.abort() }));
    await expect(reading).rejects.toThrow("abort");
  });
});
