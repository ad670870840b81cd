import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import type { ChatBody } from "../../providers/chat.js";
import { callerEffort } from "../planning/caller-effort.js";

/**
 * The documented default (API §2). The other defaults (`top_p` 1, penalties 0, `n` 1) are those of every provider, and
 * some models refuse these fields, so that they are not sent.
 */
const DEFAULT_TEMPERATURE = 0.7;

interface UpstreamBodyOptions {
  /** `effort` of the request. */
  readonly effort?: string | null | undefined;
}

/**
 * What is sent to a deployment: what the client sent, unchanged, over the fields that ask the model for the effort, over the
 * deployment's own parameters, over the default. The client's body is not changed, and is returned itself when nothing is to
 * be added.
 *
 * The default applies to clients without sampling fields: with `top_p` set, no temperature is added, because some
 * models accept only one of the two.
 */
export function upstreamBody(
  body: ChatBody,
  deployment: Deployment,
  { effort }: UpstreamBodyOptions = {},
): ChatBody {
  const { refuses } = deployment;
  // A second effort beside the client's is refused by some (OpenRouter, where `reasoning` and `reasoning_effort` differ).
  const own = callerEffort({ body, effort }) === undefined ? deployment.parameters : {};
  const parameters = { ...own, ...effortFields(deployment, effort) };
  const saysNothing = body.temperature === undefined && body.top_p === undefined;
  if (saysNothing && !refuses.includes("temperature")) {
    return { ...parameters, ...body, temperature: deployment.parameters.temperature ?? DEFAULT_TEMPERATURE };
  }
  return hasMembers(parameters) ? { ...parameters, ...body } : body;
}

/** An effort that no rule knows is for the provider to refuse. */
function effortFields({ effortParameters = {} }: Deployment, effort: string | null | undefined) {
  if (typeof effort !== "string" || !hasMembers(effortParameters)) return {};
  return Object.hasOwn(effortParameters, effort) ? effortParameters[effort] : { reasoning_effort: effort };
}

function hasMembers(value: object): boolean {
  for (const _ in value) return true;
  return false;
}
