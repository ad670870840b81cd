import { ProviderFault } from "./provider.js";

/**
 * A request that cannot be expressed in the provider's API and is not sent. Names the field, and its value only where
 * that is known to be a term of the API and not part of a prompt.
 *
 * @param param path of the field, `messages[0].content`
 */
export function refusal(param: string, problem: string): ProviderFault {
  return new ProviderFault("request_refused", `\`${param}\` ${problem}`, { upstreamParam: param });
}
