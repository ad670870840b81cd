import { SextantError } from "../../foundation/errors.js";
import type { Principal } from "./principal.js";

const DEFAULT_SOURCE = "default";
const MAX_CHARACTERS = 128;

/** Printable ASCII without a comma, neither starting nor ending with a space. */
const NAME = /^(?! )[ -+\--~]*(?<! )$/;

/** What a source may be called, in the words of a message. */
export const SOURCE_RULE = `1 to ${MAX_CHARACTERS} printable ASCII characters, without commas and without spaces at either end`;

/**
 * Whether a source may be called so. The rule is narrow on purpose: a header that came twice reaches us as one value with
 * a comma, and a value beyond ASCII would depend on how each proxy on the way reads bytes.
 */
export const isSourceName = (text: string): boolean =>
  text.length > 0 && text.length <= MAX_CHARACTERS && NAME.test(text);

/**
 * The source that the trace of a request carries: that of the principal if it is bound to one, else the header `x-source`,
 * else `default`. A bound principal's header is ignored, whatever it holds.
 *
 * @param header `x-source` as the HTTP server gives it; empty counts as not sent
 * @throws SextantError `invalid_request` when the header counts and is not a source's name, or was sent twice
 */
export function sourceOf(
  principal: Pick<Principal, "source">,
  header: string | string[] | undefined,
): string {
  if (principal.source !== null) return principal.source;
  if (header === undefined || header === "") return DEFAULT_SOURCE;
  if (typeof header === "string" && isSourceName(header)) return header;
  throw new SextantError(
    "invalid_request",
    `\`x-source\` is not the name of a source. Send it once, with ${SOURCE_RULE}.`,
    { param: "x-source" },
  );
}
