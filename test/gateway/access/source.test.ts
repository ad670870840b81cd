import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSourceName, sourceOf } from "../../../src/gateway/access/source.js";

const bound = { source: "billing" };
const free = { source: null };
const refused = expect.objectContaining({ code: "invalid_request", param: "x-source" });

describe("The source of a request", () => {
  it("is that of the principal when the principal is bound to one, whatever the header says", () => {
    for (const header of [undefined, "", "shop", "billing, shop", "a\r\nb", "é", ["shop", "billing"]]) {
      expect(sourceOf(bound, header)).toBe("billing");
    }
  });

  it("is the header of a principal without a bound source, and `default` without a header", () => {
    expect(sourceOf(free, "shop")).toBe("shop");
    expect(sourceOf(free, "my shop/v2 (eu)")).toBe("my shop/v2 (eu)");
    expect(sourceOf(free, "x".repeat(128))).toBe("x".repeat(128));
    expect(sourceOf(free, undefined)).toBe("default");
    expect(sourceOf(free, "")).toBe("default");
  });

  it.each([
    ["two values", "shop, billing"],
    ["two headers kept apart", ["shop", "billing"]],
    ["one header in a list", ["shop"]],
    ["a lone comma", ","],
    ["spaces only", "  "],
    ["a space before", " shop"],
    ["a space after", "shop "],
    ["129 characters", "x".repeat(129)],
    ["a line break", "shop\nx-api-key: pk_live_other"],
    ["a carriage return at the end", "shop\r"],
    ["a line break at the end", "shop\n"],
    ["a null byte", "shop\0"],
    ["a tab", "shop\tbilling"],
    ["a delete character", "shop\x7f"],
    ["letters beyond ASCII", "büro"],
    ["a letter that looks like another", "ѕhop"],
    ["a no-break space", "shop\u00a0"],
    ["an invisible character", "shop\u200b"],
    ["a character that turns the direction of text", "shop\u202e"],
    ["half a surrogate pair", "shop\ud800"],
  ])("is refused when the header applies and holds %s", (_, header) => {
    expect(() => sourceOf(free, header)).toThrow(refused);
  });

  it("is never quoted in the error about it", () => {
    expect(() => sourceOf(free, "shop, secret")).toThrow(/^(?!.*secret)/);
  });

  it("is valid exactly when a character-by-character check of the rule accepts it", () => {
    const plain = fc.constantFrom(..." -+~!aZ09/");
    const any = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const char = fc.oneof(
      { weight: 60, arbitrary: plain },
      { weight: 1, arbitrary: fc.oneof(any, fc.constant(",")) },
    );
    fc.assert(
      fc.property(fc.array(char, { maxLength: 140 }), (chars) => {
        const text = chars.join("");
        const codes = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
        const isPlain = codes.every((code) => code >= 0x20 && code < 0x7f && code !== 0x2c);
        const expected =
          isPlain && text.length >= 1 && text.length <= 128 && codes[0] !== 0x20 && codes.at(-1) !== 0x20;
        expect(isSourceName(text)).toBe(expected);
      }),
    );
  });
});

describe("The `x-source` header behind a real HTTP parser", () => {
  it("cannot be forged by repetition, casing, folding or spelling", async () => {
    const outcome = async (...lines: readonly string[]) => {
      const headers = await parsedHeaders(lines);
      if (headers === undefined) return "refused by the parser";
      try {
        return sourceOf(free, headers["x-source"]);
      } catch {
        return "refused";
      }
    };
    expect(await outcome("X-SOURCE: shop")).toBe("shop");
    expect(await outcome("x-source:   shop  ")).toBe("shop");
    expect(await outcome("x-source: shop", "X-Source: billing")).toBe("refused");
    expect(await outcome("x-source: shop", "x-source: shop")).toBe("refused");
    expect(await outcome("x-source:", "x-source: shop")).toBe("refused");
    expect(await outcome("x_source: shop")).toBe("default");
    expect(await outcome("x-source : shop")).toBe("refused by the parser");
    expect(await outcome("x-source: shop", " billing")).toBe("refused by the parser");
    expect(await outcome("x-source: büro")).toBe("refused");
    expect(await outcome("x-source: sh\0op")).toBe("refused by the parser");
  });
});

/** The headers that Node makes of the lines as they are on the wire; undefined when it refuses them. */
async function parsedHeaders(lines: readonly string[]): Promise<IncomingHttpHeaders | undefined> {
  let headers: IncomingHttpHeaders | undefined;
  const server = createServer((request, response) => {
    headers = request.headers;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(`GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.join("\r\n")}\r\n\r\n`);
  socket.resume();
  await once(socket, "close");
  server.close();
  return headers;
}
