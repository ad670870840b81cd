import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { SextantError } from "../../errors.js";
import { editDistance } from "../../nearest-name.js";
import type { RouteRequest } from "../../router/decision.js";
import { decisionBody } from "../decision-body.js";
import type { ServerParts } from "../parts.js";
import { decisionSchema } from "../schemas/decision.js";
import { errorResponses } from "../schemas/error-responses.js";
import {
  ROUTER_REQUEST_FIELDS,
  type RouterRequestBody,
  routerRequestSchema,
} from "../schemas/router-request.js";

/** `POST /v1/router`: which model should answer. */
export function addRouterRoute(
  app: FastifyInstance,
  { router, limits, now }: Pick<ServerParts, "router" | "limits" | "now">,
): void {
  app.withTypeProvider<ZodTypeProvider>().route({
    method: "POST",
    url: "/v1/router",
    schema: {
      operationId: "route",
      summary: "Decide which model should answer",
      tags: ["routing"],
      body: routerRequestSchema(limits),
      response: { 200: decisionSchema, ...errorResponses(400, 401, 413, 415, 500, 503) },
    },
    handler: async (request) => {
      const routeRequest = routeRequestOf(request.body);
      if (request.body.execute) throw cannotExecute();
      const decision = await router.route(routeRequest);
      return decisionBody(decision, { requestId: request.id, createdMs: now() });
    },
  });
}

/** @throws SextantError `invalid_request` on a misspelt field */
function routeRequestOf(body: RouterRequestBody): RouteRequest {
  refuseMisspeltFields(body);
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  return {
    messages: body.messages.map(({ role, content }) => ({ role, content: content ?? null })),
    costWeight: body.cost_weight,
    ...(body.models === undefined ? {} : { models: body.models }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(body.tools !== undefined && body.tools !== null && body.tools.length > 0 ? { needsTools: true } : {}),
  };
}

/** Fields of OpenAI's chat completions that resemble ours and are no misspelling of them. */
const LOOKALIKES: ReadonlySet<string> = new Set(["tool", "top_p", "stop", "store"]);

/**
 * A field that is nearly one of ours is a mistake that would otherwise go unnoticed. Other fields pass: they belong to
 * the model that executes the request.
 */
function refuseMisspeltFields(body: RouterRequestBody): void {
  for (const key in body) {
    if (ROUTER_REQUEST_FIELDS.includes(key) || LOOKALIKES.has(key)) continue;
    if (key === "model" && body[key] === "auto") continue;
    const nearest = ROUTER_REQUEST_FIELDS.find((field) => editDistance(key.slice(0, 40), field) <= 2);
    if (nearest === undefined) continue;
    throw new SextantError(
      "invalid_request",
      `\`${key.slice(0, 40)}\` is not a field of this route. Did you mean \`${nearest}\`?`,
      { param: key.slice(0, 40) },
    );
  }
}

function cannotExecute(): SextantError {
  return new SextantError(
    "no_provider_available",
    "No provider is configured that could run the request. Send `execute: false` to get the decision alone.",
    { param: "execute" },
  );
}
