import { expect, it } from "vitest";
import { brokenRule, VENDOR_RULES, VENDORS, VendorServer } from "./vendor-server.js";

it.each(VENDOR_RULES)(
  "The vendors' rule $id refuses its example first, and says where and when it was reported",
  (rule) => {
    const broken = brokenRule(rule.vendor, rule.example);
    expect(broken?.rule.id).toBe(rule.id);
    // Mistral's text is a part of the body's list.
    expect(JSON.stringify(broken?.refusal.body)).toContain(JSON.stringify(broken?.refusal.text).slice(1, -1));
    expect([new URL(rule.source).protocol, rule.seen]).toEqual([
      "https:",
      expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    ]);
  },
);

it.each(VENDORS)(
  "A server of %s refuses what a rule refuses, and answers anything else, whole and streamed",
  async (vendor) => {
    const { upstream, calls } = await VendorServer.start(vendor);
    const ask = (path: string, body: object) =>
      fetch(upstream.origin + path, { method: "POST", body: JSON.stringify(body) });
    const rule = VENDOR_RULES.find((one) => one.vendor === vendor);
    const path = rule?.example.api === "messages" ? "/v1/messages" : "/v1/chat/completions";
    for (const stream of [false, true]) {
      const refused = await ask(path, { ...rule?.example.body, stream });
      expect(calls.at(-1)?.rule.id).toBe(rule?.id);
      expect([refused.status, await refused.json()]).toEqual([
        calls.at(-1)?.refusal.status,
        calls.at(-1)?.refusal.body,
      ]);
      const messages = [{ role: "user", content: "Hello" }];
      const answered = await ask("/v1/chat/completions", {
        model: "a-model",
        max_tokens: 50,
        messages,
        stream,
      });
      expect([answered.status, calls.at(-1)]).toEqual([200, null]);
      expect(await answered.text()).toContain("It is 3 °C.");
    }
    await upstream.close();
  },
);
