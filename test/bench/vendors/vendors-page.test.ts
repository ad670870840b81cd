/** docs/vendors.md shows what the gateway does now: `npx vitest run test/bench/vendors -u` writes it. */
import { beforeAll, describe, expect, it } from "vitest";
import { CASES } from "../../../bench/vendors/cases.js";
import { measureRules, type RuleFinding, WAYS } from "../../../bench/vendors/measure.js";
import { vendorsPage } from "../../../bench/vendors/page.js";
import { SERVED_APIS } from "../../../bench/vendors/requests.js";
import { VENDOR_RULES } from "../../fakes/vendors/vendor-server.js";

describe("Vendors' rules through the gateway", () => {
  let findings: readonly RuleFinding[];
  beforeAll(async () => {
    findings = await measureRules({ large: "whole" });
  });

  it("has a request for every rule and for no other", () => {
    expect(Object.keys(CASES).sort()).toEqual(VENDOR_RULES.map(({ id }) => id).sort());
  });

  it("is what docs/vendors.md says", async () => {
    await expect(vendorsPage(findings)).toMatchFileSnapshot("../../../docs/vendors.md");
  });

  it("gives a vendor's 413 to the client, with its text", () => {
    const found = findings.find(({ rule }) => rule.id === "anthropic.request-size")?.found;
    for (const api of SERVED_APIS)
      expect(found?.[api].whole, api).toEqual({
        fate: "refused_there",
        status: 413,
        refusedBy: ["anthropic.request-size"],
        text: expect.stringContaining("Request exceeds the maximum size"),
      });
  });

  it("loses no text of a vendor's refusal", () => {
    const lost = findings.flatMap(({ rule, found }) =>
      SERVED_APIS.flatMap((api) =>
        WAYS.filter((way) => found[api][way].fate === "text_lost").map((way) => `${rule.id} ${api} ${way}`),
      ),
    );
    expect(lost).toEqual([]);
  });
});
