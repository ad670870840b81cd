import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { inferenceErrors } from "../../api/error.js";
import { SextantError } from "../../foundation/errors.js";
import { isJsonObject } from "../../providers/json-object.js";
import type { KeptCall } from "../../providers/provider.js";
import type { ServerDependencies } from "../dependencies.js";
import { requestContext } from "../http/request-context.js";
import { ownMembers } from "./responses-encoder.js";

const params = z.strictObject({ id: z.string() });
const keptSchema = z.looseObject({ request_id: z.string() });

interface KeptRoute extends Pick<KeptCall, "method" | "action"> {
  readonly operationId: string;
  readonly summary: string;
}

const ROUTES: readonly KeptRoute[] = [
  { method: "GET", operationId: "getResponse", summary: "Read a response that its provider keeps" },
  { method: "DELETE", operationId: "deleteResponse", summary: "Delete a response that its provider keeps" },
  {
    method: "POST",
    action: "cancel",
    operationId: "cancelResponse",
    summary: "Stop a response that is made in the background",
  },
  {
    method: "GET",
    action: "input_items",
    operationId: "listResponseInput",
    summary: "List the input of a response that its provider keeps",
  },
];

/** `/v1/responses/{id}`: what a provider keeps, for the principal whose request made it. */
export function addKeptResponsesRoutes(
  app: FastifyInstance,
  { inference }: Pick<ServerDependencies, "inference">,
): void {
  for (const { method, action, operationId, summary } of ROUTES) {
    app.route<{ readonly Params: z.infer<typeof params> }>({
      method,
      url: `/v1/responses/:id${action === undefined ? "" : `/${action}`}`,
      config: { scope: "inference" },
      schema: {
        operationId,
        summary,
        tags: ["inference"],
        params,
        response: { 200: keptSchema, ...inferenceErrors },
      },
      handler: (request, reply) =>
        answer(
          { method, action, id: request.params.id, query: queryOf(request) },
          { request, reply, inference },
        ),
    });
  }
}

interface Asked extends Pick<ServerDependencies, "inference"> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function answer(call: KeptCall, { request, reply, inference }: Asked): Promise<void> {
  const { body, provider, model, limitHeaders } = await inference.askForKept(
    call,
    requestContext(request, reply),
  );
  const envelope = { model, provider, requestId: request.id };
  const shown =
    body.object === "response" && isJsonObject(body)
      ? ownMembers(body, { envelope, usage: null, request: {} })
      : { ...body, request_id: request.id };
  reply.headers(limitHeaders).send(shown);
}

/** As it came: what may be asked for is the provider's to say. */
function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf("?");
  const query = at < 0 ? "" : url.slice(at);
  if (new URLSearchParams(query).get("stream") === "true") {
    throw new SextantError(
      "invalid_request",
      "`stream` is set, but the events of a response that is kept are not passed on here. Leave it out, and ask until `status` is `completed`.",
      { param: "stream" },
    );
  }
  return query;
}
