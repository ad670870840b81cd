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
