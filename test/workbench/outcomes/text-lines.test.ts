import { join } from "node:path";
import { gzipSync } from "node:zlib";
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

  it.each([
    ["in gzip, also with several members", ["\ufeffone\ntwo\n", "three\n"], ["one", "two", "three"]],
    ["as none of an empty file", [""], []],
  ])("reads lines %s, without a byte order mark", async (_, members, lines) => {
    const packed = Buffer.concat(members.map((text) => gzipSync(text)));
    const folder = await folderWith({ "lines.jsonl.gz": packed });
    const read = await collectAll(readLines(join(folder, "lines.jsonl.gz")));
    expect(read.map((line) => line.text)).toEqual(lines);
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

  it.each([
    ["latin.jsonl", "latin.jsonl, line 2: the text is not UTF-8; save the file as UTF-8"],
    ["plain.jsonl.gz", "this is not valid gzip"],
    ["missing.jsonl", "there is no such file; check the path"],
    [".", "this is a folder; name a file"],
  ])("says what is wrong with %s", async (name, problem) => {
    const latin = Buffer.from("good\nna\xefve\n", "latin1");
    const folder = await folderWith({ "latin.jsonl": latin, "plain.jsonl.gz": "plain text" });
    await expect(collectAll(readLines(join(folder, name)))).rejects.toThrow(problem);
  });

  it("stops when it is aborted", async () => {
    const folder = await folderWith({ "lines.csv": "one\n" });
    const reading = collectAll(readLines(join(folder, "lines.csv"), { signal: AbortSignal.abort() }));
    await expect(reading).rejects.toThrow("abort");
  });
});
