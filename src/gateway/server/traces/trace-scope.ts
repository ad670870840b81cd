import type { Principal } from "../../access/principal.js";
import { sourceOf } from "../../access/source.js";
import type { TraceScope } from "../../traces/store.js";

/**
 * Whose traces a principal with the scope `traces:read` may see: all with `traces:read:all` or `admin`, else those of its
 * own source.
 *
 * Without a bound source that is `default`, where the requests of such principals go unless they name a source. Which one
 * they name does not count here: anyone can send `x-source`, and would read what bound keys did.
 */
export function traceScopeOf(principal: Pick<Principal, "scopes" | "source">): TraceScope {
  const { scopes } = principal;
  if (scopes.includes("traces:read:all") || scopes.includes("admin")) return "all";
  return ownSource(principal);
}

/**
 * For whose traces a principal with the scope `inference` may give feedback: all with `admin`, else those of its own source.
 * The right to read all is none to change them.
 */
export const feedbackScopeOf = (principal: Pick<Principal, "scopes" | "source">): TraceScope =>
  principal.scopes.includes("admin") ? "all" : ownSource(principal);

const ownSource = (principal: Pick<Principal, "source">): TraceScope => ({
  source: sourceOf(principal, undefined),
});
