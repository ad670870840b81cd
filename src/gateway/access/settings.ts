import { z } from "zod";
import { field, numberFromText, oneOf, wholeOrNone } from "../settings/field.js";
import { budgetSchema } from "./limits/budget.js";
import { SCOPES } from "./principal.js";

/** All budgets: no two have the same name. */
export const budgetsSchema = z
  .array(budgetSchema)
  .max(1000)
  .refine((budgets) => new Set(budgets.map(({ name }) => name)).size === budgets.length, {
    error: "two budgets have the same name",
  });

/** Who may send requests, and how many. */
export const accessSettings = {
  auth: oneOf(
    { values: ["on", "off"], usual: "on" },
    "Whether `/v1` requires an API key or token. `off` is accepted only while `host` is a loopback address; all requests " +
      "then share the default limits and must address a loopback name or one of `allowed_hosts`.",
  ),
  bootstrapApiKey: field(
    z
      .string()
      .regex(/^pk_live_[0-9A-Za-z]{32,}$/)
      .optional(),
    "An admin key that exists from the start, for containers and tests: `pk_live_` and at least 32 letters and digits. It " +
      "is never written to disk. Without it, a first key is created and printed once.",
    { expects: "`pk_live_` followed by at least 32 letters and digits", secret: true },
  ),
  requestsPerMinute: wholeOrNone(
    { from: 1, to: 1_000_000_000 },
    "Requests a minute for keys and tokens without a limit of their own. Default: no limit.",
  ),
  tokensPerMinute: wholeOrNone(
    { from: 1, to: 1_000_000_000 },
    "Tokens a minute, prompts and answers together, for keys and tokens without a limit of their own. Default: no limit.",
  ),
  usdPerMonth: field(
    numberFromText(z.number().positive().max(1_000_000)).optional(),
    "US dollars a calendar month (UTC) for keys and tokens without a budget of their own. Default: no limit.",
    { expects: "a number above 0, at most 1000000" },
  ),
  budgets: field(
    budgetsSchema.default([]),
    "[Budgets](access.md#budgets-of-teams) of teams, sources or tags, beside the limits of keys. Each has a `name`, what it " +
      "counts `by` (`all`, `key`, `source`, `team`, or `metadata.` and a key), and `usd` a `period` (`day`, `week` or " +
      "`month`, in `time_zone`), `requests_per_minute` or `tokens_per_minute`; optionally one `value`, `warn_at` (a share, " +
      "0.8) and `at_limit` with a `preset`.",
    { expects: "a list of budgets, each with `name`, `by` and a limit" },
  ),
  redisUrl: field(
    z.url({ protocol: /^rediss?$/ }).optional(),
    "Redis for what several instances share: counters of limits and budgets, pauses and administrative events. While it is " +
      "unreachable, each instance goes on in memory. Default: each instance counts by itself and keeps the rest in " +
      "`data_dir`.",
    { expects: "a URL such as redis://localhost:6379/0", secret: true },
  ),
  jwtSecret: field(
    z.string().min(32).optional(),
    "Secret that verifies tokens signed with HS256; `Authorization: Bearer <token>` is then accepted beside API keys. " +
      "Anyone who has it can issue tokens for any subject.",
    { expects: "at least 32 characters", secret: true },
  ),
  jwtJwks: field(
    z.string().min(1).optional(),
    "Public keys that verify tokens signed with RS256 or ES256: a JWKS URL or a file. Both are read again, so keys may " +
      "change while the server runs.",
    { expects: "an http or https URL, or a file path" },
  ),
  jwtIssuer: field(
    z.string().min(1).optional(),
    "Value that `iss` of a token must have; not checked without it. Set it where one key set serves several issuers.",
    { expects: "the issuer's name or URL" },
  ),
  jwtAudience: field(
    z.string().min(1).optional(),
    "Value that `aud` of a token must contain. Without it, only tokens without `aud` are accepted.",
    { expects: "the audience's name" },
  ),
  jwtDefaultScope: field(
    z
      .preprocess(
        (value) => (typeof value === "string" ? value.split(/[\s,]+/).filter((name) => name !== "") : value),
        z.array(z.enum(SCOPES)).min(1),
      )
      .optional(),
    "Scopes of a token without `scope`, and without any of these in `scp` or `roles`: `inference`, `traces:read`, " +
      "`traces:read:all`, `admin`, separated by spaces. Default: none.",
    { expects: `one or more of ${SCOPES.join(", ")}` },
  ),
};
