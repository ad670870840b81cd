/** A test server for one client, and its requests sent again through a whole gateway to vendors that refuse what they refuse. */
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { SextantError } from "../../../src/foundation/errors.js";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { chunk, type FakeInference, streamedAnswer } from "../../fakes/inference.js";
import { startVendorGateway, type VendorGateway } from "../../fakes/vendors/vendor-gateway.js";
import { listening, startTestServer } from "../../gateway/server.js";
import { callerOf } from "../whole-gateway.js";
import { isRepaired } from "./gateway.js";
import { OSLO_AND_ROME } from "./tool-answers.js";

interface Sent {
  readonly url: string;
  readonly body: JsonObject;
}

export interface ClientServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly inference: FakeInference;
  /** The messages of that run. */
  messagesOf(run: number): unknown;
  /** Sends what was answered in this test to a model of every vendor: none refuses it. */
  vendorsTakeWhatWasSent(): Promise<void>;
}

/** To be called where tests are declared: starts and stops with them. */
export function serverForClient(): ClientServer {
  const { app, inference } = startTestServer();
  const sent = answeredRequests(app);
  let origin = "";
  let vendors: VendorGateway;
  beforeAll(async () => {
    origin = `http://127.0.0.1:${await listening(app)}`;
    vendors = await startVendorGateway();
  });
  afterAll(() => Promise.all([app.close(), vendors.stop()]));
  beforeEach(() => {
    for (const list of [inference.runs, inference.embeddings, inference.outcomes, sent]) list.length = 0;
  });
  return {
    get origin() {
      return origin;
    },
    inference,
    messagesOf: (run) => inference.runs[run]?.request.body.messages,
    vendorsTakeWhatWasSent: () => vendorsTake(vendors, sent),
  };
}

const RUNS = /^\/v1\/(?:chat\/completions|responses|messages)(?:$|\?)/;

/** The requests that the server answered, as they come. */
function answeredRequests(app: FastifyInstance): Sent[] {
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

/** What a vendor has not, so that its text goes to the client: answers by a schema, images, several answers. */
const LACKED =
  /response_format type is unavailable|unknown variant `image_url`|not support image input|Multiple candidates is not/;

const LACKED_RULES = ["deepseek.schema", "deepseek.image", "ollama.image", "google.candidates"];

/** Rules that calls to the vendors broke since their lists were emptied, other than those that are known to be repaired. */
export const brokenRules = ({ servers }: VendorGateway): readonly string[] =>
  servers
    .flatMap(({ calls }) => calls.flatMap((call) => call?.rule.id ?? []))
    .filter((id) => !isRepaired(id) && !LACKED_RULES.includes(id));

async function vendorsTake(gateway: VendorGateway, sent: readonly Sent[]): Promise<void> {
  expect(sent.length).toBeGreaterThan(0);
  const call = callerOf(gateway.address);
  for (const model of VENDOR_MODELS) {
    for (const { calls } of gateway.servers) calls.length = 0;
    const refused: string[] = [];
    for (const { url, body } of sent) {
      // What says how `auto` chooses is refused beside another model.
      const { status, text } = await call(url, { body: { ...body, model, router: undefined } });
      if (status === 200 ? text.includes('"error":{') : !isOwnRefusal(text) && !LACKED.test(text))
        refused.push(text);
    }
    expect(refused, model).toEqual([]);
    expect(brokenRules(gateway), model).toEqual([]);
  }
}

function isOwnRefusal(answer: string): boolean {
  const { error } = JSON.parse(answer);
  return error?.code === "invalid_request" && OWN_REFUSALS.test(String(error.param));
}

// What the clients are told and tell

/** The messages of the request that brings the results of both calls back. */
export const AFTER_THE_CALLS = [
  { role: "user", content: expect.anything() },
  { role: "assistant", tool_calls: OSLO_AND_ROME },
  { role: "tool", tool_call_id: "call_1", content: "3 °C in Oslo" },
  { role: "tool", tool_call_id: "call_2", content: "3 °C in Rome" },
];

/** A red pixel. */
export const IMAGE_BASE64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
export const IMAGE_URL = `data:image/png;base64,${IMAGE_BASE64}`;
/** It, as models are asked about it. */
export const ASKED_IMAGE = expect.objectContaining({
  type: "image_url",
  image_url: expect.objectContaining({ url: IMAGE_URL }),
});

/** A limit that is over as soon as it is told. */
export const limit = () =>
  new SextantError("rate_limit_exceeded", "Enough.", { extra: { retry_after: 0.001 } });
export const noSuchModel = () =>
  new SextantError("model_not_found", "There is no model x.", { param: "model" });

/** A stream that says "Hel" and breaks off. */
export function brokenStream() {
  async function* batches() {
    yield [chunk({ role: "assistant", content: "Hel" })];
    throw new SextantError("upstream_error", "It broke off.");
  }
  return streamedAnswer(batches());
}
