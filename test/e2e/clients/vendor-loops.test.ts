/** Loops of tools by clients as they are, on a model of every vendor that refuses what the vendor refuses. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startVendorGateway, type VendorGateway } from "../../fakes/vendors/vendor-gateway.js";
import { brokenRules, VENDOR_MODELS } from "./at-vendors.js";
import { LOOPS, wholeAndStreamed } from "./loops.js";

let gateway: VendorGateway;
beforeAll(async () => {
  gateway = await startVendorGateway();
});
afterAll(() => gateway.stop());

const clients = wholeAndStreamed([
  "the openai package in chat completions",
  "the openai package in Responses",
  "Anthropic's package",
  "AI SDK's default",
]);

describe.each(VENDOR_MODELS)("With %s,", (model) => {
  it("loops of the clients run whole and streamed, and no call is refused", async () => {
    for (const { name, streamed } of clients) {
      for (const { calls } of gateway.servers) calls.length = 0;
      await LOOPS[name]({ address: gateway.address, model, streamed });
      const client = `${name}, streamed: ${streamed}`;
      expect(brokenRules(gateway), client).toEqual([]);
      // Those that were refused were repaired.
      const answers = gateway.servers.flatMap(({ calls }) => calls.filter((call) => call === null));
      expect(answers, client).toHaveLength(4);
    }
  });
});
