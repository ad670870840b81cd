/** docs/vendors.md shows what the gateway does now: `npm run bench -- vendors --out docs/vendors.md` writes it. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASES } from "../../../bench/vendors/cases.js";
import { measureRule, startRuleGateway, WAYS } from "../../../bench/vendors/measure.js";
import { ruleCells, vendorsPage } from "../../../bench/vendors/page.js";
import { SERVED_APIS } from "../../../bench/vendors/requests.js";
import type { VendorGateway } from "../../fakes/vendors/vendor-gateway.js";
import { VENDOR_RULES } from "../../fakes/vendors/vendor-server.js";

const page = readFileSync(new URL("../../../docs/vendors.md", import.meta.url), "utf8");
const head = vendorsPage([]).trimEnd();

describe("Vendors' rules through the gateway", () => {
  let gateway: VendorGateway;
  beforeAll(async () => {
    gateway = await startRuleGateway();
  });
  afterAll(() => gateway.stop());

  it("have a request each, and the page has a row for each", () => {
    expect(Object.keys(CASES).sort()).toEqual(VENDOR_RULES.map(({ id }) => id).sort());
    expect(page.startsWith(head)).toBe(true);
    expect(page.slice(head.length).trim().split("\n")).toHaveLength(VENDOR_RULES.length);
  });

  it.each(VENDOR_RULES)("fare as docs/vendors.md says, and lose no text of a refusal: $id", async (rule) => {
    const finding = await measureRule(rule, { gateway, large: "whole" });
    expect(page).toContain(`\n| ${ruleCells(finding).join(" | ")} |\n`);
    for (const api of SERVED_APIS)
      for (const way of WAYS) expect(finding.found[api][way].fate, `${api}, ${way}`).not.toBe("text_lost");
    if (rule.id !== "anthropic.request-size") return;
    for (const api of SERVED_APIS)
      expect(finding.found[api].whole.text, api).toContain("Request exceeds the maximum size");
  });
});
