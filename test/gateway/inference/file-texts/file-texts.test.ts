import { describe, expect, it } from "vitest";
import { withFileTexts } from "../../../../src/gateway/inference/file-texts/file-texts.js";
import type { PdfText } from "../../../../src/gateway/inference/file-texts/pdf-reader.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";

const SETTINGS = { routedFileMaxBytes: 10_000, routedFileMaxPages: 3, routedFileMaxCharacters: 100 };
const PDF = "data:application/pdf;base64,JVBERi0=";
const fileOf = (data: string) => ({ type: "file", file: { filename: "a", file_data: data } });
const textFile = (type: string, text: string) =>
  fileOf(`data:${type};base64,${Buffer.from(text).toString("base64")}`);
const user = (...content: readonly unknown[]): JsonObject => ({ role: "user", content });
const text = (said: string) => ({ type: "text", text: said });
const QUESTION = "Please summarise what this file says.";

function judge(
  messages: readonly JsonObject[],
  read: PdfText = { text: "A proof.", pages: 1, pagesRead: 1 },
) {
  const asked: unknown[] = [];
  const pdfs = {
    read: async (question: object) => {
      asked.push(question);
      return read;
    },
  };
  return { judged: withFileTexts({ messages }, { pdfs, settings: SETTINGS }), asked };
}

describe("A request with files is judged by their texts", () => {
  it("of PDFs, within the bounds of the settings", async () => {
    const { judged, asked } = judge([user(text(QUESTION), fileOf(PDF))]);
    expect((await judged)?.body.messages).toEqual([user(text(QUESTION), text("A proof."))]);
    expect(asked).toEqual([{ data: "JVBERi0=", maxPages: 3, maxCharacters: 100 }]);
  });

  it.each(["text/plain", "application/json", "application/ld+json"])(
    "of %s, without any library",
    async (type) => {
      const { judged, asked } = judge([user(textFile(type, "größer"))]);
      expect((await judged)?.body.messages).toEqual([user(text("größer"))]);
      expect(asked).toEqual([]);
    },
  );

  it("of which all together have so many characters, and the rest counts as tokens", async () => {
    const { judged } = judge([user(textFile("text/plain", "x".repeat(4000)), textFile("text/plain", "y"))]);
    const { body, promptTokens, notes } = (await judged) ?? {};
    expect(body?.messages[0]?.content).toMatchObject([text("x".repeat(100)), { type: "file" }]);
    expect(promptTokens).toBeGreaterThan(1000);
    expect(notes).toEqual([expect.stringContaining("comes after others")]);
  });

  it("and pages that were not read count as those that were", async () => {
    const page = { text: "x".repeat(80), pagesRead: 1 };
    const [one, hundred] = await Promise.all(
      [1, 100].map((pages) => judge([user(fileOf(PDF))], { ...page, pages }).judged),
    );
    expect((hundred?.promptTokens ?? 0) - (one?.promptTokens ?? 0)).toBe(99 * 20);
  });

  it("in earlier messages only while later ones say little", async () => {
    const answer = { role: "assistant", content: "Yes." };
    const before = judge([user(fileOf(PDF)), answer, user(text("why?"))]);
    expect((await before.judged)?.body.messages[0]).toEqual(user(text("A proof.")));
    const later = judge([user(fileOf(PDF)), answer, user(text(QUESTION))]);
    expect((await later.judged)?.body.messages[0]).toEqual(user(fileOf(PDF)));
    expect(later.asked).toEqual([]);
  });

  it("and one without files is not touched", () => {
    expect(judge([user(text(QUESTION))]).judged).toBeUndefined();
    expect(judge([{ role: "user", content: QUESTION }]).judged).toBeUndefined();
  });
});

describe("A file that is not read is named with the reason:", () => {
  it.each([
    ["an encrypted PDF", fileOf(PDF), "it is encrypted"],
    ["one uploaded before", { type: "file", file: { file_id: "file_1" } }, "it is not part of the request"],
    ["one that is too large", fileOf(`${PDF}${"A".repeat(20_000)}`), "it is larger than 10000 bytes"],
    ["another type", textFile("application/zip", "PK"), "it is neither a PDF nor text, but application/zip"],
    ["without a type", fileOf(Buffer.from("PK").toString("base64")), "it is neither a PDF nor text"],
  ])("%s", async (_, part, why) => {
    const { judged } = judge([user(text(QUESTION), part)], { unread: "is encrypted" });
    expect((await judged)?.notes).toEqual([`a file was not read: ${why}`]);
    expect((await judged)?.body.messages).toEqual([user(text(QUESTION), part)]);
  });
});
