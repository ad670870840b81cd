import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import type { Principal, Scope } from "../access/principal.js";
import { errorResponses } from "../api/error.js";
import { ClientWentAway } from "./shutdown.js";

/** A route that needs credentials, and answers with a JSON object. */
export interface JsonRoute<Answer, Body, Query, Params> {
  /** Method and path: `POST /admin/keys/:id/rotate`. */
  readonly route: `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;
  /** Default: `admin` below `/admin`; elsewhere any valid credentials do. */
  readonly scope?: Scope | undefined;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** Default: `administration`. */
  readonly tag?: string;
  readonly body?: z.ZodType<Body>;
  readonly query?: z.ZodType<Query>;
  readonly params?: z.ZodType<Params>;
  readonly validatorCompiler?: FastifySchemaCompiler<unknown>;
  readonly answer: z.ZodType<Answer>;
  /** Of an answer; default 200. */
  readonly status?: number;
  /** Statuses that it can answer with beside those that follow from the above. */
  readonly errors?: readonly number[];
  /** @returns the answer, which gets the request's id unless it has one; or bytes or a stream, which are sent as they are */
  readonly handle: (
    asked: Asked<Body, Query, Params>,
  ) => Found<NoInfer<Answer>> | Promise<Found<NoInfer<Answer>>>;
}

type Found<Answer> = Shown<Answer> | WithoutId<Shown<Answer>> | Readable | Uint8Array;
type WithoutId<Answer> = Answer extends unknown ? Omit<Answer, "request_id"> : never;

/** The same, which is only read. */
type Shown<Value> = Value extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Shown<Value[Name]> }
    : Value;

interface Asked<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly principal: Principal;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function addRoute<Answer, Body, Query, Params>(
  app: FastifyInstance,
  { route, operationId, summary, description, ...options }: JsonRoute<Answer, Body, Query, Params>,
): void {
  const [method = "", url = ""] = route.split(" ");
  const { scope = url.startsWith("/admin/") ? "admin" : undefined, tag = "administration" } = options;
  const { body, query, params, validatorCompiler, answer, status = 200, errors = [], handle } = options;
  const refusals = [
    ...(body === undefined && query === undefined ? [] : [400]),
    ...(body === undefined ? [] : [413, 415]),
    ...(scope === undefined ? [] : [403]),
    ...(params === undefined ? [] : [404]),
  ];
  app.route({
    method,
    url,
    config: { ...(scope && { scope }) },
    ...(validatorCompiler && { validatorCompiler }),
    schema: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      tags: [tag],
      ...(body && { body }),
      ...(query && { querystring: query }),
      ...(params && { params }),
      response: { [status]: answer, ...errorResponses(401, 500, ...refusals, ...errors) },
    },
    handler: async (request, reply) => {
      const { principal } = request;
      if (principal === null) throw new TypeError("The route has no authentication.");
      reply.code(status);
      try {
        const asked = { body: request.body, query: request.query, params: request.params } as Asked<
          Body,
          Query,
          Params
        >;
        const found: object = (await handle({ ...asked, principal, request, reply })) as object;
        const isWhole = "request_id" in found || found instanceof Readable || found instanceof Uint8Array;
        return reply.send(isWhole ? found : { ...found, request_id: request.id });
      } catch (fault) {
        // After the client has left, the fault of a search has no recipient, and that it left is no fault.
        if (!reply.raw.destroyed || (method !== "GET" && !(fault instanceof ClientWentAway))) throw fault;
        return reply.hijack();
      }
    },
  });
}
