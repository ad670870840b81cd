import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../src/gateway/access/source.js";

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
    expect(sourceOf(free, "my shop/v2 (eu)")).toBe("my shop/v2 (eu)");
    expect(sourceOf(free, "x".repeat(128))).toBe("x".repeat(128));
    expect(sourceOf(free, undefined)).toBe("default");
    expect(sourceOf(free, "")).toBe("default");
  });

  it.each([
    ["two values", "shop, billing"],
    ["two headers kept apart", ["shop", "billing"]],
    ["one header in a list", ["shop"]],
    ["spaces only", "  "],
    ["a space before", " shop"],
    ["a space after", "shop "],
    ["129 characters", "x".repeat(129)],
    ["a line break", "shop\nx-api-key: pk_live_other"],
    ["a line break at the end", "shop\n"],
    ["a null byte", "shop\0"],
    ["a tab", "shop\tbilling"],
    ["letters beyond ASCII", "büro"],
    ["half a surrogate pair", "shop\ud800"],
  ])("is refused when the header applies and holds %s", (_, header) => {
    expect(() => sourceOf(free, header)).toThrow(refused);
  });

  it("is never quoted in the error about it", () => {
    expect(() => sourceOf(free, "shop, secret")).toThrow(/^(?!.*secret)/);
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
    for (const [expected, ...lines] of [
      ["shop", "X-SOURCE: shop"],
      ["shop", "x-source:   shop  "],
      ["refused", "x-source: shop", "X-Source: billing"],
      ["refused", "x-source: shop", "x-source: shop"],
      ["refused", "x-source:", "x-source: shop"],
      ["default", "x_source: shop"],
      ["refused by the parser", "x-source : shop"],
      ["refused by the parser", "x-source: shop", " billing"],
      ["refused", "x-source: büro"],
      ["refused by the parser", "x-source: sh\0op"],
    ])
      expect([await outcome(...lines), ...lines]).toEqual([expected, ...lines]);
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
