import type { Deployment } from "../../catalog/deployments/deployment.js";
import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import type { ProviderFault } from "../../providers/provider.js";

/** Fields without which the model answers all the same, by its own way of choosing words. */
const SAMPLING = ["temperature", "top_p", "top_k"] as const;

/**
 * How OpenAI and Anthropic say that a model has no such field, or one value for it. What they say of two fields together is not
 * meant: either may stay. Links and days: test/fakes/vendors.
 */
const HAS_NONE = /not supported with this model|does not support|is deprecated for this model/i;

const BAD_REQUEST = 400;

/**
 * Sampling fields that deployments turned out to refuse, by the effort of the request that they refused: some models take a
 * temperature only while they do not think. Kept as long as the deployment is, in memory.
 */
export class RefusedFields {
  readonly #refused = new WeakMap<Deployment, Map<string, Set<string>>>();

  /**
   * Remembers the field of `sent` that a fault names.
   *
   * @returns the field; null when the fault names none that may be left out, or one that was already
   */
  learnFrom(
    fault: ProviderFault,
    { deployment, sent }: { readonly deployment: Deployment; readonly sent: JsonObject },
  ): string | null {
    if (fault.code !== "request_refused" || fault.status !== BAD_REQUEST) return null;
    const text = fault.upstreamMessage ?? "";
    const field = HAS_NONE.test(text)
      ? SAMPLING.find((name) => fault.upstreamParam === name || namedIn(text, name))
      : undefined;
    if (field === undefined || (sent[field] ?? null) === null) return null;
    const byEffort = this.#refused.get(deployment) ?? new Map<string, Set<string>>();
    this.#refused.set(deployment, byEffort);
    const fields = byEffort.get(effortOf(sent)) ?? new Set<string>();
    byEffort.set(effortOf(sent), fields.add(field));
    return field;
  }

  /** The body without what the deployment refuses; itself when there is nothing to leave out. */
  leftOut<Body extends JsonObject>(body: Body, deployment: Deployment): Body {
    const fields = this.#refused.get(deployment)?.get(effortOf(body));
    if (fields === undefined) return body;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.has(name))) as Body;
  }
}

const namedIn = (text: string, name: string): boolean =>
  ["'", '"', "`"].some((quote) => text.includes(`${quote}${name}${quote}`));

/** In the form of any API; empty without one. */
function effortOf({ reasoning_effort: effort, reasoning, output_config: config }: JsonObject): string {
  const nested = [reasoning, config].find(isJsonObject)?.effort;
  return String(effort ?? nested ?? "");
}
