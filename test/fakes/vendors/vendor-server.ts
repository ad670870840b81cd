import type { JsonObject } from "../../../src/providers/chat.js";
import { jsonReply, type Script, UpstreamServer } from "../upstream-server.js";
import { ANTHROPIC_RULES } from "./anthropic.js";
import { DEEPSEEK_RULES, GOOGLE_RULES, MISTRAL_RULES, XAI_RULES } from "./compatible.js";
import { OPENAI_RULES } from "./openai.js";
import type { Refusal, Vendor, VendorApi, VendorRequest, VendorRule } from "./rule.js";

export const VENDOR_RULES: readonly VendorRule[] = [
  ...OPENAI_RULES,
  ...ANTHROPIC_RULES,
  ...GOOGLE_RULES,
  ...MISTRAL_RULES,
  ...DEEPSEEK_RULES,
  ...XAI_RULES,
];

/** The vendors that have rules, in the order of the table. */
export const VENDORS: readonly Vendor[] = [...new Set(VENDOR_RULES.map(({ vendor }) => vendor))];

export interface BrokenRule {
  readonly rule: VendorRule;
  readonly refusal: Refusal;
}

/** The first rule of the vendor that refuses the request; null when it passes. */
export function brokenRule(vendor: Vendor, request: VendorRequest): BrokenRule | null {
  for (const rule of VENDOR_RULES) {
    const refusal = rule.vendor === vendor ? rule.check(request) : null;
    if (refusal !== null) return { rule, refusal };
  }
  return null;
}

/** A vendor that refuses what its rules refuse, and answers anything else with a greeting, whole. */
export class VendorServer {
  /** Of each call in order: the rule that refused it, null where it was answered. */
  readonly calls: (BrokenRule | null)[] = [];

  private constructor(
    readonly vendor: Vendor,
    readonly upstream: UpstreamServer,
  ) {}

  static async start(vendor: Vendor): Promise<VendorServer> {
    const server = new VendorServer(vendor, await UpstreamServer.start());
    server.upstream.answer((exchange) => server.#script(exchange.request)(exchange));
    return server;
  }

  #script({ path, body: text }: { readonly path: string; readonly body: string }): Script {
    const body: JsonObject = JSON.parse(text);
    const api = apiOf(path);
    const broken = brokenRule(this.vendor, { api, model: String(body.model), body });
    this.calls.push(broken);
    return broken === null
      ? jsonReply(GREETINGS[api])
      : jsonReply(broken.refusal.body, { status: broken.refusal.status });
  }
}

function apiOf(path: string): VendorApi {
  if (path.endsWith("/responses")) return "responses";
  return path.endsWith("/messages") ? "messages" : "chat";
}

const GREETINGS: Readonly<Record<VendorApi, unknown>> = {
  chat: {
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "a-model" },
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  },
  responses: {
    ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", model: "a-model" },
    output: [
      {
        ...{ id: "msg_1", type: "message", status: "completed", role: "assistant" },
        content: [{ type: "output_text", text: "Hello.", annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 2, total_tokens: 12 },
  },
  messages: {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "a-model" },
    content: [{ type: "text", text: "Hello." }],
    ...{ stop_reason: "end_turn", stop_sequence: null },
    usage: { input_tokens: 10, output_tokens: 2 },
  },
};
