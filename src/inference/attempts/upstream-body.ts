import type { Deployment } from "../../catalog/deployment.js";
import type { ChatBody } from "../../providers/chat.js";

/**
 * The documented default (API §2). The other defaults (`top_p` 1, penalties 0, `n` 1) are those of every provider, and
 * some models refuse these fields, so that they are not sent.
 */
const DEFAULT_TEMPERATURE = 0.7;

/**
 * The body for a deployment: the client's fields unchanged, then the deployment's parameters, then the default. The
 * client's body is not modified, and returned itself when there is nothing to add.
 *
 * The default applies to clients without sampling fields: with `top_p` set, no temperature is added, because some
 * models accept only one of the two.
 */
export function upstreamBody(body: ChatBody, { parameters, refuses }: Deployment): ChatBody {
  const saysNothing = body.temperature === undefined && body.top_p === undefined;
  if (saysNothing && !refuses.includes("temperature")) {
    return { ...parameters, ...body, temperature: parameters.temperature ?? DEFAULT_TEMPERATURE };
  }
  return hasMembers(parameters) ? { ...parameters, ...body } : body;
}

function hasMembers(value: object): boolean {
  for (const _ in value) return true;
  return false;
}
