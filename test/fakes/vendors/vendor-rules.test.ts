import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { VendorApi } from "./rule.js";
import { brokenRule, VENDOR_RULES, VENDORS, VendorServer } from "./vendor-server.js";

describe("The rules of vendors", () => {
  it.each(VENDOR_RULES.map((rule) => [rule.id, rule] as const))("%s refuses its example first", (_, rule) => {
    const broken = brokenRule(rule.vendor, rule.example);
    expect(broken?.rule.id).toBe(rule.id);
    // Mistral's text is a part of the body's list.
    expect(JSON.stringify(broken?.refusal.body)).toContain(JSON.stringify(broken?.refusal.text).slice(1, -1));
  });

  it("have ids of their own, and a source with its day or the word guess", () => {
    expect(new Set(VENDOR_RULES.map(({ id }) => id)).size).toBe(VENDOR_RULES.length);
    for (const { id, vendor, source, seen } of VENDOR_RULES) {
      expect(id.startsWith(`${vendor}.`), id).toBe(true);
      if (source === "guess") expect(seen, id).toBeNull();
      else
        expect([new URL(source).protocol, seen], id).toEqual(["https:", expect.stringMatching(/^20\d\d-/)]);
    }
  });
});

describe("A vendor's server", () => {
  const servers: VendorServer[] = [];
  beforeAll(async () => {
    servers.push(...(await Promise.all(VENDORS.map((vendor) => VendorServer.start(vendor)))));
  });
  afterAll(() => Promise.all(servers.map(({ upstream }) => upstream.close())));

  const PATHS: Readonly<Record<VendorApi, string>> = {
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    messages: "/v1/messages",
  };

  it.each(VENDOR_RULES.map((rule) => [rule.id, rule] as const))(
    "answers %s as the vendor, whole and streamed",
    async (id, rule) => {
      const server = servers.find(({ vendor }) => vendor === rule.vendor);
      const { api, body } = rule.example;
      const address = `${server?.upstream.origin}${PATHS[api]}`;
      for (const stream of rule.wholeOnly === true ? [false] : [false, true]) {
        const refused = await fetch(address, { method: "POST", body: JSON.stringify({ ...body, stream }) });
        const broken = server?.calls.at(-1);
        expect(broken?.rule.id).toBe(id);
        expect([refused.status, await refused.json()]).toEqual([
          broken?.refusal.status,
          broken?.refusal.body,
        ]);
      }
    },
  );

  it("answers what no rule refuses, whole and streamed", async () => {
    for (const { upstream, calls } of servers) {
      const messages = [{ role: "user", content: "Hello" }];
      for (const stream of [false, true]) {
        const body = JSON.stringify({ model: "a-model", max_tokens: 50, messages, stream });
        const answered = await fetch(`${upstream.origin}${PATHS.chat}`, { method: "POST", body });
        expect([answered.status, calls.at(-1)]).toEqual([200, null]);
        expect(await answered.text()).toContain("It is 3 °C.");
        const type = stream ? "text/event-stream; charset=utf-8" : "application/json";
        expect(answered.headers.get("content-type")).toBe(type);
      }
    }
  });
});
