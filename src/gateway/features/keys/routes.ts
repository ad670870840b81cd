import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { ApiKeyMetadata } from "../../access/keys/api-key.js";
import type { KeyChange } from "../../access/keys/key-records.js";
import type { NewKey } from "../../access/keys/key-ring.js";
import { type RefusalCount, type Used, usdOf } from "../../access/limits/counters.js";
import { type PrincipalLimits, UNLIMITED } from "../../access/principal.js";
import type { ServerDependencies } from "../../dependencies.js";
import { addRoute } from "../../http/route.js";
import type { LastFailure } from "../../traces/last-failures.js";
import { recordActs } from "../events/routes.js";
import { type RefusalBody, refusalListSchema, refusalsQuerySchema } from "./refusals-schema.js";
import {
  createdKeySchema,
  type KeyChangeBody,
  keyChangeSchema,
  keyListQuerySchema,
  keyListSchema,
  keyRotationSchema,
  keySchema,
  type ListedKeyBody,
  type NewKeyBody,
  newKeySchema,
} from "./schema.js";

/** `/admin/keys`: what `sextant keys` does, over HTTP. */
export function addAdminKeyRoutes(
  app: FastifyInstance,
  dependencies: Pick<ServerDependencies, "keys" | "limiter" | "traces" | "now" | "events" | "limits">,
): void {
  const { keys, limiter, traces, now } = dependencies;
  const record = recordActs(dependencies);
  const targetOf = ({ id, name }: ApiKeyMetadata) => ({ type: "key" as const, id, name });
  addRoute(app, {
    route: "GET /admin/keys",
    operationId: "listKeys",
    summary: "List the API keys",
    query: keyListQuerySchema,
    answer: keyListSchema,
    async handle({ query, reply }) {
      const list = keys.list();
      const ids = list.map(({ id }) => id);
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const [used, lastErrors] = await Promise.all([
        limiter.usedBy(ids),
        lastErrorsOf(ids, { traces, since: query.errors_since, signal }),
      ]);
      const data = list.map((key, at) => ({
        ...key,
        use: limitsInUse(keys.limitsOf(key.id) ?? UNLIMITED, used[at] ?? NOTHING_USED),
        ...(lastErrors !== undefined && { last_error: lastErrors.get(key.id) ?? null }),
      }));
      return { object: "list" as const, data };
    },
  });
  addRoute(app, {
    route: "POST /admin/keys",
    operationId: "createKey",
    summary: "Make an API key",
    body: newKeySchema,
    answer: createdKeySchema,
    status: 201,
    errors: [503],
    async handle({ body, request }) {
      const { key, metadata } = await keys.create(newKeyOf(body, now()));
      await record(request, { kind: "key.created", target: targetOf(metadata), details: { ...body } });
      return { key, ...metadata };
    },
  });
  addRoute(app, {
    route: "PATCH /admin/keys/:id",
    operationId: "updateKey",
    summary: "Change the name, limits or expiry of an API key",
    params,
    body: keyChangeSchema,
    answer: keySchema,
    errors: [503],
    async handle({ params, body, request }) {
      const changed = await keys.update(params.id, keyChangeOf(body, now()));
      await record(request, { kind: "key.updated", target: targetOf(changed), details: { ...body } });
      return changed;
    },
  });
  addRoute(app, {
    route: "POST /admin/keys/:id/rotate",
    operationId: "rotateKey",
    summary: "Replace an API key by a new one with the same id, limits and traces",
    params,
    body: keyRotationSchema,
    answer: createdKeySchema,
    errors: [503],
    async handle({ params, body, request }) {
      const { key, metadata } = await keys.rotate(params.id, { graceMs: body.grace_seconds * 1000 });
      const details = { ...body, previous: metadata.previous };
      await record(request, { kind: "key.rotated", target: targetOf(metadata), details });
      return { key, ...metadata };
    },
  });
  addRoute(app, {
    route: "DELETE /admin/keys/:id",
    operationId: "revokeKey",
    summary: "Make an API key useless, for good",
    params,
    answer: keySchema,
    errors: [503],
    async handle({ params, request }) {
      const revoked = await keys.revoke(params.id);
      await record(request, { kind: "key.revoked", target: targetOf(revoked), details: {} });
      return revoked;
    },
  });
}

/** What a key has used without having counted anything. */
const NOTHING_USED: Used = { requests: 0, tokens: 0, nanoUsd: 0 };

/** The limits that apply to a key, with what is used of each. */
function limitsInUse(
  { requestsPerMinute, tokensPerMinute, usdPerMonth }: PrincipalLimits,
  { requests, tokens, nanoUsd }: Used,
): ListedKeyBody["use"] {
  const useOf = (used: number, limit: number | null) => (limit === null ? null : { used, limit });
  return {
    requests_per_minute: useOf(requests, requestsPerMinute),
    tokens_per_minute: useOf(tokens, tokensPerMinute),
    usd_per_month: useOf(usdOf(nanoUsd), usdPerMonth),
  };
}

interface ErrorsOptions extends Pick<ServerDependencies, "traces"> {
  /** ISO 8601; undefined: they are not asked for. */
  readonly since: string | undefined;
  readonly signal: AbortSignal;
}

/** By the id of the key; undefined when they were not asked for, and when traces cannot be searched: keys can be managed nevertheless. */
async function lastErrorsOf(
  principals: readonly string[],
  { traces, since, signal }: ErrorsOptions,
): Promise<ReadonlyMap<string, ListedKeyBody["last_error"]> | undefined> {
  if (since === undefined) return undefined;
  const question = { principals, startMs: Date.parse(since) };
  try {
    const failures = await traces.ask("lastFailures", question, { scope: "all", signal });
    return new Map(failures.map((failure) => [failure.principal, lastErrorBody(failure)]));
  } catch (fault) {
    if (fault instanceof SextantError || signal.aborted) return undefined;
    throw fault;
  }
}

const lastErrorBody = ({ errorCode, requestId, createdAtMs }: LastFailure): ListedKeyBody["last_error"] => ({
  code: errorCode,
  request_id: requestId,
  created_at: new Date(createdAtMs).toISOString(),
});

const params = z.object({ id: z.string() });

/** @throws SextantError `invalid_request` for an expiry that has passed */
const newKeyOf = ({ cost_weight, expires_at, ...given }: NewKeyBody, nowMs: number): NewKey => ({
  ...given,
  costWeight: cost_weight,
  expiresAtMs: expiryOf(expires_at, nowMs),
});

/** @throws SextantError `invalid_request` for an expiry that has passed */
const keyChangeOf = (
  { cost_weight, expires_at, previous, ...given }: KeyChangeBody,
  nowMs: number,
): KeyChange => ({
  ...given,
  costWeight: cost_weight,
  expiresAtMs: expiryOf(expires_at, nowMs),
  previousEndsAtMs: previous === null ? nowMs : undefined,
});

function expiryOf(text: string | null | undefined, nowMs: number): number | null | undefined {
  if (text === undefined || text === null) return text;
  const expiresAtMs = Date.parse(text);
  if (expiresAtMs > nowMs) return expiresAtMs;
  throw new SextantError("invalid_request", `\`expires_at\` is "${text}", which has passed.`, {
    param: "expires_at",
  });
}

/** `GET /admin/refusals`: requests that limits refused in the last 24 hours, which leave no traces. */
export function addRefusalsRoute(
  app: FastifyInstance,
  { keys, limiter }: Pick<ServerDependencies, "keys" | "limiter">,
): void {
  addRoute(app, {
    route: "GET /admin/refusals",
    operationId: "listRefusals",
    summary: "Sum up the requests that limits refused",
    query: refusalsQuerySchema,
    answer: refusalListSchema,
    async handle({ query: { key, step } }) {
      const refusals = await limiter.refusals(key);
      return {
        object: "list" as const,
        step: Number(step),
        data: summed(refusals, Number(step) * 1000).map(({ startMs, principal, refusedBy, ...refused }) => ({
          start: new Date(startMs).toISOString(),
          key: principal,
          name: keys.nameOf(principal) ?? null,
          limit: refusedBy,
          ...refused,
        })) satisfies RefusalBody[],
      };
    },
  });
}

interface SummedRefusals extends Omit<RefusalCount, "minuteMs"> {
  readonly startMs: number;
}

/** Steps are counted from the epoch. */
function summed(refusals: readonly RefusalCount[], stepMs: number): readonly SummedRefusals[] {
  const sums = new Map<string, SummedRefusals>();
  for (const { minuteMs, requests, ...refused } of refusals) {
    const startMs = minuteMs - (minuteMs % stepMs);
    const id = JSON.stringify({ startMs, ...refused });
    sums.set(id, { startMs, ...refused, requests: requests + (sums.get(id)?.requests ?? 0) });
  }
  return [...sums.values()];
}
