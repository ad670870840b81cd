import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { PdfReader, type PdfReaderOptions } from "../../../../src/gateway/inference/file-texts/pdf-reader.js";
import { ManualTime } from "../../../fakes/manual-time.js";
import { encryptedPdf, pdfOf } from "../../../fakes/pdf.js";

const opened: PdfReader[] = [];
afterEach(() => Promise.all(opened.splice(0).map((reader) => reader.close())));

function readerOf(options: Partial<PdfReaderOptions> = {}): PdfReader {
  const reader = new PdfReader({ timers: systemTimers, timeoutMs: 60_000, ...options });
  opened.push(reader);
  return reader;
}

const asked = (pdf: Buffer, { maxPages = 20, maxCharacters = 20_000 } = {}) => ({
  ...{ data: pdf.toString("base64"), maxPages, maxCharacters },
});

describe("PDFs are read in a thread", () => {
  it("page by page, one file after the other", async () => {
    const reader = readerOf();
    const [first, second] = await Promise.all([
      reader.read(asked(pdfOf(["Prove the lemma.", "Second page."]))),
      reader.read(asked(pdfOf(["Another file."]))),
    ]);
    expect(first).toEqual({ text: "Prove the lemma.\nSecond page.", pages: 2, pagesRead: 2 });
    expect(second).toMatchObject({ text: "Another file." });
  });

  it("up to a number of pages and of characters", async () => {
    const reader = readerOf();
    const pdf = pdfOf(["one", "two", "three"]);
    expect(await reader.read(asked(pdf, { maxPages: 2 }))).toMatchObject({
      text: "one\ntwo",
      pages: 3,
      pagesRead: 2,
    });
    expect(await reader.read(asked(pdf, { maxCharacters: 2 }))).toMatchObject({ text: "on", pagesRead: 1 });
  });

  it.each([
    ["encrypted", encryptedPdf(), "is encrypted"],
    ["no PDF", Buffer.from("hello"), "is damaged, or no PDF"],
    ["cut off", pdfOf(["text"]).subarray(0, 200), "is damaged, or no PDF"],
    ["without text", pdfOf([""]), "has no text"],
    ["empty", Buffer.alloc(0), "is damaged, or no PDF"],
  ])("or said to be %s", async (_, pdf, unread) => {
    expect(await readerOf().read(asked(pdf))).toEqual({ unread });
  });
});

describe("A PDF that takes too long", () => {
  it("ends its thread, and the next one gets another", async () => {
    const time = new ManualTime();
    let threads = 0;
    const startWorker = () => {
      threads += 1;
      return new Worker("setInterval(() => {}, 1000)", { eval: true });
    };
    const reader = readerOf({ timers: time.timers, timeoutMs: 100, startWorker });
    const tooLong = { unread: "takes longer than 100 ms to read" };
    for (let file = 1; file <= 2; file++) {
      const reading = reader.read(asked(pdfOf(["text"])));
      await expect.poll(() => threads).toBe(file);
      await time.advance(100);
      expect(await reading).toEqual(tooLong);
    }
  });

  it("takes the time of those that wait for it into account", async () => {
    const time = new ManualTime();
    const startWorker = () => new Worker("setInterval(() => {}, 1000)", { eval: true });
    const reader = readerOf({ timers: time.timers, timeoutMs: 100, startWorker });
    const reading = Promise.all([reader.read(asked(pdfOf(["a"]))), reader.read(asked(pdfOf(["b"])))]);
    await time.advance(100);
    expect(await reading).toEqual(Array(2).fill({ unread: "takes longer than 100 ms to read" }));
  });
});
