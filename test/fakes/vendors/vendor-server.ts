import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { jsonReply, type Script, type SeenRequest, UpstreamServer } from "../upstream-server.js";
import { ANTHROPIC_RULES } from "./anthropic.js";
import { ANTHROPIC_SIZE_RULES } from "./anthropic-sizes.js";
import { DEEPSEEK_RULES, GOOGLE_RULES, MISTRAL_RULES, XAI_RULES } from "./compatible.js";
import { OLLAMA_RULES, OPENROUTER_RULES, VLLM_RULES } from "./hosts.js";
import { KeptResponses } from "./kept-responses.js";
import { OPENAI_RULES } from "./openai.js";
import type { Refusal, Vendor, VendorApi, VendorRequest, VendorRule } from "./rule.js";
import { weatherReply } from "./weather.js";

export const VENDOR_RULES: readonly VendorRule[] = [
  ...OPENAI_RULES,
  ...ANTHROPIC_RULES,
  ...ANTHROPIC_SIZE_RULES,
  ...GOOGLE_RULES,
  ...MISTRAL_RULES,
  ...DEEPSEEK_RULES,
  ...XAI_RULES,
  ...OPENROUTER_RULES,
  ...OLLAMA_RULES,
  ...VLLM_RULES,
];

/** The vendors that have rules, in the order of the table. */
export const VENDORS: readonly Vendor[] = [...new Set(VENDOR_RULES.map(({ vendor }) => vendor))];

export interface BrokenRule {
  readonly rule: VendorRule;
  readonly refusal: Refusal;
}

/** The first rule of the vendor that refuses the request; null when it passes. */
function brokenRule(vendor: Vendor, request: VendorRequest): BrokenRule | null {
  for (const rule of VENDOR_RULES) {
    const refusal = rule.vendor === vendor ? rule.check(request) : null;
    if (refusal !== null) return { rule, refusal };
  }
  return null;
}

/** A vendor that refuses what its rules refuse, and answers anything else about the weather, whole or streamed as asked. */
export class FakeVendor {
  /** Of each call in order: the rule that refused it, null where it was answered. */
  readonly calls: (BrokenRule | null)[] = [];
  /** Bodies of the calls. */
  readonly asked: JsonObject[] = [];
  readonly kept = new KeptResponses();

  constructor(readonly vendor: Vendor) {}

  readonly script: Script = (exchange) => this.#reply(exchange.request)(exchange);

  #reply(request: SeenRequest): Script {
    const { vendor, kept } = this;
    const [, id = "", action] = /\/responses\/([^/?]+)(?:\/(\w+))?/.exec(request.path) ?? [];
    if (id !== "") return kept.ask(request.method, id, action);
    const asked = askedOf(request);
    if (asked === null) return jsonReply({ error: { message: "Unknown request URL" } }, { status: 404 });
    this.asked.push(asked.body);
    const broken = brokenRule(vendor, { ...asked, keptOutput: (response) => kept.outputOf(response) });
    this.calls.push(broken);
    if (broken !== null) return refusalReply(broken);
    return asked.api === "responses" ? kept.create(asked.body) : weatherReply({ vendor, ...asked });
  }
}

/** A fake vendor on a real socket. */
export class VendorServer extends FakeVendor {
  private constructor(
    vendor: Vendor,
    readonly upstream: UpstreamServer,
  ) {
    super(vendor);
    upstream.answer(this.script);
  }

  static async start(vendor: Vendor): Promise<VendorServer> {
    return new VendorServer(vendor, await UpstreamServer.start());
  }
}

/** The vendor's refusals, to come before any script of an upstream; `broken` takes the rules that are broken. */
export const refusalsOf =
  (vendor: Vendor, broken: BrokenRule[]) =>
  (request: SeenRequest): Script | null => {
    const asked = askedOf(request);
    const found = asked === null ? null : brokenRule(vendor, asked);
    if (found === null) return null;
    broken.push(found);
    return refusalReply(found);
  };

const refusalReply = ({ refusal: { body, status } }: BrokenRule): Script => jsonReply(body, { status });

const APIS: readonly (readonly [string, VendorApi])[] = [
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/messages", "messages"],
];

/** Null for a request of another API. */
function askedOf({ path, body: text }: SeenRequest): VendorRequest | null {
  const { pathname } = new URL(path, "http://vendor");
  const api = APIS.find(([end]) => pathname.endsWith(end))?.[1];
  if (api === undefined) return null;
  const body: JsonObject = JSON.parse(text);
  return { api, model: String(body.model), body, bytes: Buffer.byteLength(text) };
}
