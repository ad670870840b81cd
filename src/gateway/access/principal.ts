import { SextantError } from "../../foundation/errors.js";
import type { RequestCaps } from "./request-caps.js";

/** What a principal may do. `admin` includes every other scope, `traces:read:all` includes `traces:read`. */
export const SCOPES = ["inference", "traces:read", "traces:read:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** What a principal may use, prompts and answers together. Null is no limit. */
export interface PrincipalLimits {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** US dollars a calendar month, UTC. */
  readonly usdPerMonth: number | null;
}

export const UNLIMITED: PrincipalLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  usdPerMonth: null,
};

/** Whoever makes a request, after authentication. */
export interface Principal {
  /** Id of the key (`key_…`); `jwt:` and the subject of a token; `anonymous` when authentication is off. */
  readonly id: string;
  /** `gateway`: what the gateway asks by itself, which counts in no caller's budget. */
  readonly kind: "api_key" | "jwt" | "anonymous" | "gateway";
  /** Source that traces of this principal carry; null when it may name one per request. */
  readonly source: string | null;
  readonly scopes: readonly Scope[];
  /** Its own limits, and the defaults of the settings where it has none. */
  readonly limits: PrincipalLimits;
  /** Team that its requests belong to, whatever their metadata say; null or absent: as those say. */
  readonly team?: string | null;
  /** Cost weight of `auto` where a request names none, 0 to 1; null or absent: by the settings. */
  readonly costWeight?: number | null;
  /** What each of its requests may be; absent without any cap. */
  readonly caps?: RequestCaps | undefined;
}

/** Scopes that include a scope. */
const INCLUDED_IN: Readonly<Record<Scope, readonly Scope[]>> = {
  inference: ["admin"],
  "traces:read": ["traces:read:all", "admin"],
  "traces:read:all": ["admin"],
  admin: [],
};

/** @throws SextantError `insufficient_scope` */
export function requireScope(principal: Principal, scope: Scope): void {
  if ([scope, ...INCLUDED_IN[scope]].some((sufficient) => principal.scopes.includes(sufficient))) return;
  const [credential, remedy] =
    principal.kind === "jwt"
      ? [
          "token",
          "Use one whose claim `scope`, `scp` or `roles` contains it, or set SEXTANT_JWT_DEFAULT_SCOPE for tokens without one.",
        ]
      : ["key", "Use a key that has it, or create one with `sextant keys create --scopes`."];
  throw new SextantError(
    "insufficient_scope",
    `This ${credential} has the scopes ${principal.scopes.join(", ") || "(none)"}, but the route needs \`${scope}\`. ${remedy}`,
  );
}
