import { describe, expect, it } from "vitest";
import { contentBlocks } from "../../../../src/gateway/providers/anthropic/content.js";
import type { JsonObject } from "../../../../src/gateway/providers/chat.js";
import { ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { errorThrownBy } from "../../../support/errors.js";

const image = (url: unknown): JsonObject => ({ type: "image_url", image_url: { url, detail: "high" } });
const blocks = (...parts: JsonObject[]) => contentBlocks(parts, "content");

const refused = (part: JsonObject) => errorThrownBy(() => blocks(part), ProviderFault);

describe("An image for Anthropic", () => {
  it("is sent by its URL when it has one", () => {
    expect(blocks(image("https://example.com/a.png"))).toEqual([
      { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
    ]);
    expect(blocks({ type: "image_url", image_url: "https://example.com/a.png" })).toEqual(
      blocks(image("https://example.com/a.png")),
    );
  });

  it.each([
    ["data:image/png;base64,aGVsbG8=", "image/png"],
    ["data:image/jpg;base64,aGVsbG8=", "image/jpeg"],
    ["data:IMAGE/WEBP;name=a;BASE64,aGVsbG8=", "image/webp"],
    ["data:image/png;base64,/9j/4AAQ", "image/jpeg"],
    ["data:application/octet-stream;base64,R0lGODlh", "image/gif"],
    ["data:;base64,iVBORw0KGgo=", "image/png"],
  ])("is sent as bytes from the data URL %s, with the type that they have", (url, media_type) => {
    const data = url.slice(url.indexOf(",") + 1);
    expect(blocks(image(url))).toEqual([{ type: "image", source: { type: "base64", media_type, data } }]);
  });

  it("keeps its cache mark", () => {
    const cache_control = { type: "ephemeral" };
    const [marked] = blocks({ ...image("https://example.com/a.png"), cache_control });
    expect(marked).toMatchObject({ cache_control });
  });

  it.each([
    ["http://example.com/secret.png"],
    ["file:///secret"],
    ["data:image/svg+xml;base64,aGVsbG8="],
    ["data:image/png,hello"],
    ["data:image/png;base64,aGVsbG8"],
    ["data:image/png;base64,secret!!"],
    ["data:image/png;base64,secre==="],
    ["data:image/png;base64,secret=A"],
    ["data:image/png;base64,"],
    ["data:image/png;base64"],
    ["data:;base64,aGVsbG8="],
  ])("is refused as %s, without repeating it", (url) => {
    const fault = refused(image(url));
    expect(fault).toMatchObject({ code: "request_refused", upstreamParam: "content[0].image_url.url" });
    expect(fault.message).not.toMatch(/secret|aGVsbG8/);
  });

  it("is refused without a URL", () => {
    expect(refused(image(7)).upstreamParam).toBe("content[0].image_url.url");
    expect(refused({ type: "image_url" }).upstreamParam).toBe("content[0].image_url.url");
  });
});

describe("A file for Anthropic", () => {
  it("is a document when it is a PDF", () => {
    const file = { filename: "a.pdf", file_data: "data:application/pdf;base64,aGVsbG8=" };
    const source = { type: "base64", media_type: "application/pdf", data: "aGVsbG8=" };
    expect(blocks({ type: "file", file })).toEqual([{ type: "document", source, title: "a.pdf" }]);
  });

  it.each(["text/plain", "text/markdown", "application/json"])("is text when it is %s", (type) => {
    expect(blocks({ type: "file", file: { file_data: `data:${type};base64,aGVsbG8=` } })).toEqual([
      { type: "document", source: { type: "text", media_type: "text/plain", data: "hello" } },
    ]);
  });

  it("is sent by its id when it was uploaded to Anthropic", () => {
    expect(blocks({ type: "file", file: { file_id: "file_1" } })).toEqual([
      { type: "document", source: { type: "file", file_id: "file_1" } },
    ]);
  });

  it.each([
    [{ file_data: "data:application/zip;base64,aGVsbG8=" }],
    [{ file_data: "hello" }],
    [{ filename: "a.pdf" }],
  ])("is refused as %o", (file) => {
    expect(refused({ type: "file", file }).upstreamParam).toBe("content[0].file.file_data");
  });
});

describe("A content part in Anthropic's format", () => {
  it("is passed unchanged", () => {
    const part = { type: "search_result", source: "https://example.com", title: "A", content: [] };
    expect(blocks(part)).toEqual([part]);
  });
});
