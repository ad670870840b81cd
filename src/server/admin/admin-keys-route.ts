import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { NewKey } from "../../access/keys/key-ring.js";
import { errorResponses } from "../../api/error.js";
import { createdKeySchema, keyListSchema, keySchema, type NewKeyBody, newKeySchema } from "../../api/keys.js";
import { SextantError } from "../../foundation/errors.js";
import { AccessFileError } from "../../foundation/shared-file.js";
import type { ServerDependencies } from "../dependencies.js";

/** `/admin/keys`: what `sextant keys` does, over HTTP. */
export function addAdminKeyRoutes(
  app: FastifyInstance,
  { keys, now }: Pick<ServerDependencies, "keys" | "now">,
): void {
  const typed = app.withTypeProvider<ZodTypeProvider>();
  typed.route({
    method: "GET",
    url: "/admin/keys",
    config: { scope: "admin" },
    schema: {
      operationId: "listKeys",
      summary: "List the API keys",
      tags: ["administration"],
      response: { 200: keyListSchema, ...errorResponses(401, 403, 500) },
    },
    handler: async (request, reply) =>
      reply.send({ object: "list", data: [...keys.list()], request_id: request.id }),
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
      const { key, metadata } = await saved(keys.create(newKeyOf(request.body, now())));
      // A key must not stay in a cache on the way.
      reply.code(201).header("cache-control", "no-store");
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
      params: z.object({ id: z.string() }),
      response: { 200: keySchema, ...errorResponses(401, 403, 404, 500, 503) },
    },
    handler: async (request, reply) =>
      reply.send({ ...(await saved(keys.revoke(request.params.id))), request_id: request.id }),
  });
}

/** @throws SextantError `storage_unavailable`, which names the file: only administrators see it */
function saved<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((fault) => {
    if (!(fault instanceof AccessFileError)) throw fault;
    throw new SextantError("storage_unavailable", fault.message, { cause: fault });
  });
}

/** @throws SextantError `invalid_request` for an expiry that has passed */
function newKeyOf(
  { name, source, scopes, limits, expires_at: expiresAt }: NewKeyBody,
  nowMs: number,
): NewKey {
  const expiresAtMs = expiresAt === undefined || expiresAt === null ? undefined : Date.parse(expiresAt);
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    throw new SextantError("invalid_request", `\`expires_at\` is "${expiresAt}", which has passed.`, {
      param: "expires_at",
    });
  }
  return {
    name,
    source: source ?? undefined,
    scopes,
    expiresAtMs,
    limits: {
      requestsPerMinute: limits?.requests_per_minute ?? null,
      tokensPerMinute: limits?.tokens_per_minute ?? null,
      usdPerMonth: limits?.usd_per_month ?? null,
    },
  };
}
