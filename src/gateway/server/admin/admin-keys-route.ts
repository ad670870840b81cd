import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { SextantError } from "../../../foundation/errors.js";
import type { ApiKeyMetadata } from "../../access/keys/api-key.js";
import type { KeyChange } from "../../access/keys/key-records.js";
import type { NewKey } from "../../access/keys/key-ring.js";
import { type RefusalCount, type Used, usdOf } from "../../access/limits/counters.js";
import { type PrincipalLimits, UNLIMITED } from "../../access/principal.js";
import { errorResponses } from "../../api/error.js";
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
} from "../../api/keys.js";
import { type RefusalBody, refusalListSchema, refusalsQuerySchema } from "../../api/refusals.js";
import type { LastFailure } from "../../traces/last-failures.js";
import type { ServerDependencies } from "../dependencies.js";
import { recordActs } from "./events-route.js";

/** `/admin/keys`: what `sextant keys` does, over HTTP. */
export function addAdminKeyRoutes(
  app: FastifyInstance,
  dependencies: Pick<ServerDependencies, "keys" | "limiter" | "traces" | "now" | "events" | "limits">,
): void {
  const { keys, limiter, traces, now } = dependencies;
  const record = recordActs(dependencies);
  const targetOf = ({ id, name }: ApiKeyMetadata) => ({ type: "key" as const, id, name });
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/admin/keys",
    config: { scope: "admin" },
    schema: {
      operationId: "listKeys",
      summary: "List the API keys",
      tags: ["administration"],
      querystring: keyListQuerySchema,
      response: { 200: keyListSchema, ...errorResponses(400, 401, 403, 500) },
    },
    handler: async (request, reply) => {
      const list = keys.list();
      const ids = list.map(({ id }) => id);
      const signal = reply.server.shutdown.signalOf(reply.raw);
      const [used, lastErrors] = await Promise.all([
        limiter.usedBy(ids),
        lastErrorsOf(ids, { traces, since: request.query.errors_since, signal }),
      ]);
      const data = list.map((key, at) => ({
        ...key,
        use: limitsInUse(keys.limitsOf(key.id) ?? UNLIMITED, used[at] ?? NOTHING_USED),
        ...(lastErrors !== undefined && { last_error: lastErrors.get(key.id) ?? null }),
      }));
      return reply.send({ object: "list", data, request_id: request.id });
    },
  });
  typed.route({
    method: "POST",
    url: "/admin/keys",
    config: { scope: "admin" },
    schema: {
      operationId: "createKey",
      summary: "Make an API key",
      tags: ["administration"],
      body: newKeySchema,
      response: { 201: createdKeySchema, ...errorResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      const { key, metadata } = await keys.create(newKeyOf(request.body, now()));
      await record(request, {
        kind: "key.created",
        target: targetOf(metadata),
        details: { ...request.body },
      });
      return reply.code(201).send({ key, ...metadata, request_id: request.id });
    },
  });
  typed.route({
    method: "PATCH",
    url: "/admin/keys/:id",
    config: { scope: "admin" },
    schema: {
      operationId: "updateKey",
      summary: "Change the name, limits or expiry of an API key",
      tags: ["administration"],
      params,
      body: keyChangeSchema,
      response: { 200: keySchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      const change = keyChangeOf(request.body, now());
      const changed = await keys.update(request.params.id, change);
      await record(request, { kind: "key.updated", target: targetOf(changed), details: { ...request.body } });
      return reply.send({ ...changed, request_id: request.id });
    },
  });
  typed.route({
    method: "POST",
    url: "/admin/keys/:id/rotate",
    config: { scope: "admin" },
    schema: {
      operationId: "rotateKey",
      summary: "Replace an API key by a new one with the same id, limits and traces",
      tags: ["administration"],
      params,
      body: keyRotationSchema,
      response: { 200: createdKeySchema, ...errorResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: async (request, reply) => {
      const graceMs = request.body.grace_seconds * 1000;
      const { key, metadata } = await keys.rotate(request.params.id, { graceMs });
      const details = { ...request.body, previous: metadata.previous };
      await record(request, { kind: "key.rotated", target: targetOf(metadata), details });
      return reply.send({ key, ...metadata, request_id: request.id });
    },
  });
  typed.route({
    method: "DELETE",
    url: "/admin/keys/:id",
    config: { scope: "admin" },
    schema: {
      operationId: "revokeKey",
      summary: "Make an API key useless, for good",
      tags: ["administration"],
      params,
      response: { 200: keySchema, ...errorResponses(401, 403, 404, 500, 503) },
    },
    handler: async (request, reply) => {
      const revoked = await keys.revoke(request.params.id);
      await record(request, { kind: "key.revoked", target: targetOf(revoked), details: {} });
      return reply.send({ ...revoked, request_id: request.id });
    },
  });
}

/** What a key has used without having counted anything. */
export const NOTHING_USED: Used = { requests: 0, tokens: 0, nanoUsd: 0 };

/** The limits that apply to a key, with what is used of each. */
export function limitsInUse(
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
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "GET",
    url: "/admin/refusals",
    config: { scope: "admin" },
    schema: {
      operationId: "listRefusals",
      summary: "Sum up the requests that limits refused",
      tags: ["administration"],
      querystring: refusalsQuerySchema,
      response: { 200: refusalListSchema, ...errorResponses(400, 401, 403, 500) },
    },
    handler: async (request) => {
      const { key, step } = request.query;
      const principals = key === undefined ? keys.list().map(({ id }) => id) : [key];
      const refusals = await limiter.refusals(principals);
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
        request_id: request.id,
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
