import { ProviderFault } from "../provider.js";

/**
 * A request that the Messages API has no form for; it is not sent. Names the field, and a value only where the caller
 * knows it to be a word of the API and not of a prompt.
 *
 * @param param path of the field, `messages[0].content`
 */
export function refusal(param: string, problem: string): ProviderFault {
  return new ProviderFault("request_refused", `\`${param}\` ${problem}`, { upstreamParam: param });
}
