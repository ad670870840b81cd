import type { Deployment } from "../../catalog/deployments/deployment.js";
import type { ChatBody } from "../../providers/chat.js";

/**
 * The documented default of API §2. The others (`top_p` 1, penalties 0, `n` 1) are every provider's own, so that sending
 * them would change nothing, but some models refuse the very field.
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
 * The default is for clients that say nothing about sampling: one that sets `top_p` chose its way of it, and some models
 * take only one of the two.
 */
export function upstreamBody(
  body: ChatBody,
  deployment: Deployment,
  { effort }: UpstreamBodyOptions = {},
): ChatBody {
  const { refuses } = deployment;
  const parameters = { ...deployment.parameters, ...effortFields(deployment, effort) };
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
