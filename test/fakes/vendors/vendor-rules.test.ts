import { expect, it } from "vitest";
import { CASES } from "../../../bench/vendors/cases.js";
import { bodyFor } from "../../../bench/vendors/requests.js";
import type { Vendor, VendorApi, VendorRequest, VendorRule } from "./rule.js";
import { VENDOR_RULES } from "./vendor-server.js";

const APIS: Partial<Record<Vendor, readonly VendorApi[]>> = {
  openai: ["chat", "responses"],
  anthropic: ["messages"],
};

/** What a client asks that meets the rule, in each form of the vendor's own. */
const requestsFor = ({ id, vendor }: VendorRule): readonly VendorRequest[] =>
  (APIS[vendor] ?? ["chat"]).flatMap((api) => {
    const asked = CASES[id];
    const body = asked === undefined ? null : bodyFor(api, asked);
    if (asked === undefined || body === null) return [];
    const { model, maxTokens } = asked;
    // By the newer name of the limit too, which some refuse.
    const named = { ...body, model, max_completion_tokens: maxTokens };
    return [{ api, model, body: named, keptOutput: () => undefined }];
  });

it.each(VENDOR_RULES)(
  "The vendors' rule $id says where and when a refusal was reported, and refuses",
  (rule) => {
    const refusal = requestsFor(rule)
      .map(rule.check)
      .find((found) => found !== null);
    // Mistral's text is a part of the body's list.
    expect(JSON.stringify(refusal?.body)).toContain(JSON.stringify(refusal?.text).slice(1, -1));
    expect(rule.source).toMatch(/^https:/);
    expect(rule.seen).toMatch(/^20\d\d-\d\d-\d\d$/);
  },
);
