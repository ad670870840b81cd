/**
 * Loops of a function on GPT-5.6 deployments at Azure OpenAI, whose v1 API has the paths of OpenAI's below `/openai/v1` and takes its
 * key in `api-key` (learn.microsoft.com/azure/ai-foundry/openai/how-to/responses, read 2026-11-25). It refuses what OpenAI refuses.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { jsonReply, type Script, UpstreamServer } from "../../fakes/upstream-server.js";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { folderForTests } from "../../support/folders.js";
import { startWholeGateway, type WholeGateway } from "../whole-gateway.js";
import { LOOPS, RESULT, wholeAndStreamed } from "./loops.js";

const AZURE_KEY = "key-of-the-resource";
/** Names of deployments, and the models that they are of. */
const DEPLOYED: Readonly<Record<string, string>> = { "gpt-5.6-luna": "gpt-5.6-luna", ours: "gpt-5.6-luna" };

const folder = folderForTests();
let vendor: FakeVendor;
let upstream: UpstreamServer;
let gateway: WholeGateway;

/** Texts of these refusals: guesses. */
const azure: Script = (exchange) => {
  const { path, headers, body } = exchange.request;
  if (headers["api-key"] !== AZURE_KEY)
    return jsonReply({ error: { code: "401", message: "Access denied." } }, { status: 401 })(exchange);
  const asked = JSON.parse(body);
  const model = DEPLOYED[asked.model];
  if (!path.startsWith("/openai/v1/") || model === undefined)
    return jsonReply({ error: { code: "404", message: "Resource not found" } }, { status: 404 })(exchange);
  const request = { ...exchange.request, body: JSON.stringify({ ...asked, model }) };
  return vendor.script({ ...exchange, request });
};

beforeAll(async () => {
  upstream = await UpstreamServer.start();
  upstream.answer(azure);
  const deployments = [
    { name: "support", provider: "azure", upstream_model: "ours", profile: "gpt-5.6-luna" },
  ];
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ deployments }));
  gateway = await startWholeGateway(
    { AZURE_OPENAI_API_KEY: AZURE_KEY, AZURE_OPENAI_ENDPOINT: upstream.origin },
    { folder },
  );
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});
beforeEach(() => {
  vendor = new FakeVendor("openai");
  upstream.requests.length = 0;
});

const rows = wholeAndStreamed([
  "the openai package in chat completions",
  "the openai package in Responses",
  "Anthropic's package",
]);

describe.each([
  ["azure/gpt-5.6-luna", "gpt-5.6-luna"],
  ["support", "ours"],
])("Loops of a function on %s of Azure OpenAI", (model, deployment) => {
  it.each(rows)("go through $name (streamed: $streamed)", async ({ name, streamed }) => {
    await LOOPS[name]({ address: gateway.address, model, streamed, isSealed: true });
    expect(vendor.calls).toEqual([null, null, null, null]);
    const bodies = upstream.requests.map(({ method, path, headers, body }) => {
      expect([method, path, headers["api-key"]]).toEqual(["POST", "/openai/v1/responses", AZURE_KEY]);
      expect(headers).not.toHaveProperty("authorization");
      const asked = JSON.parse(body);
      expect(asked).toMatchObject({
        model: deployment,
        store: false,
        tools: [{ type: "function", name: "weather" }],
        include: expect.arrayContaining(["reasoning.encrypted_content"]),
      });
      return asked;
    });
    // What follows the question in the second call: the reasoning as it was sealed, the call, its output.
    expect(bodies[1].input.slice(-3)).toMatchObject([
      { type: "reasoning", encrypted_content: expect.stringMatching(/^gAAA/) },
      { type: "function_call", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", output: RESULT },
    ]);
  });
});
