/** What clients send to a test server, sent again through a whole gateway to vendors that refuse what they refuse. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import {
  startVendorGateway,
  VENDOR_GATEWAY_KEY,
  type VendorGateway,
} from "../../fakes/vendors/vendor-gateway.js";
import { isRepaired } from "./gateway.js";

interface Sent {
  readonly url: string;
  readonly body: JsonObject;
}

const RUNS = /^\/v1\/(?:chat\/completions|responses|messages)(?:$|\?)/;

/** The requests that the server answered, as they come. */
export function answeredRequests(app: FastifyInstance): readonly Sent[] {
  const sent: Sent[] = [];
  app.addHook("onResponse", (request, reply, done) => {
    if (RUNS.test(request.url) && reply.statusCode === 200)
      sent.push({ url: request.url, body: request.body as JsonObject });
    done();
  });
  return sent;
}

/** Of every vendor with rules those that differ, each by the vendor itself. */
export const VENDOR_MODELS = [
  ...["openai/gpt-4o-mini", "openai/gpt-5.4", "openai/gpt-5.6-luna", "openai/gpt-5-pro"],
  ...["anthropic/claude-haiku-4-5", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-8"],
  ...["google/gemini-2.5-flash", "google/gemini-3.5-flash", "mistral/mistral-medium-3.5"],
  ...["deepseek/deepseek-v4-flash", "x-ai/grok-4.6", "openrouter/openai/gpt-4.1"],
  ...["ollama/qwen3:4b", "vllm/qwen3.5-27b"],
];

/** Fields of which the gateway says itself, before any call, that the model does not take them. */
const OWN_REFUSALS = /^(?:n|previous_response_id|input\[\d+\].*)$/;

/** What a vendor has not, so that its text goes to the client: DeepSeek's answers by a schema, several of Gemini 3. */
const LACKED = /This response_format type is unavailable now|Multiple candidates is not enabled/;

/** Rules that calls to the vendors broke since their lists were emptied, other than those that are known to be repaired. */
export const brokenRules = ({ servers }: VendorGateway): readonly string[] =>
  servers
    .flatMap(({ calls }) => calls.flatMap((call) => call?.rule.id ?? []))
    .filter((id) => !isRepaired(id) && !["deepseek.schema", "google.candidates"].includes(id));

/** Tests, to be declared last, that no vendor refuses what was sent, whichever of its models it is sent to. */
export function vendorsTake(sent: readonly Sent[]): void {
  describe("What it sends", () => {
    let gateway: VendorGateway;
    beforeAll(async () => {
      gateway = await startVendorGateway();
    });
    afterAll(() => gateway.stop());

    it.each(VENDOR_MODELS)("is taken by %s", async (model) => {
      expect(sent.length).toBeGreaterThan(0);
      for (const { calls } of gateway.servers) calls.length = 0;
      const refused: string[] = [];
      for (const { url, body } of sent) {
        const response = await fetch(gateway.address + url, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": VENDOR_GATEWAY_KEY },
          // What says how `auto` chooses is refused beside another model.
          body: JSON.stringify({ ...body, model, router: undefined }),
        });
        const answer = await response.text();
        if (response.ok ? answer.includes('"error":{') : !isOwnRefusal(answer) && !LACKED.test(answer))
          refused.push(answer);
      }
      expect(refused).toEqual([]);
      expect(brokenRules(gateway)).toEqual([]);
    });
  });
}

function isOwnRefusal(answer: string): boolean {
  const { error } = JSON.parse(answer);
  return error?.code === "invalid_request" && OWN_REFUSALS.test(String(error.param));
}
