import fastify, { type FastifyInstance, type FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { exactJson } from "../foundation/exact-numbers.js";
import { invalidRequest } from "../foundation/issue-text.js";
import { createRequestIdGenerator } from "../foundation/request-id.js";
import type { ServerDependencies } from "./dependencies.js";
import { addAttentionRoute } from "./features/alerts/attention-routes.js";
import { addAlertRoutes } from "./features/alerts/routes.js";
import { addBudgetsRoute } from "./features/budgets/routes.js";
import { addAnswerRoutes } from "./features/chat/inference-routes.js";
import { addKeptResponsesRoutes } from "./features/chat/kept-responses-routes.js";
import { addComparisonsRoute } from "./features/comparisons/routes.js";
import { addConsolePageRoutes } from "./features/console/page-route.js";
import { addConsoleSessionRoutes } from "./features/console/session-route.js";
import { addConversationCostRoute } from "./features/conversation-cost/routes.js";
import { addEmbeddingsRoute } from "./features/embeddings/routes.js";
import { addEventsRoute } from "./features/events/routes.js";
import { addAdminKeyRoutes, addRefusalsRoute } from "./features/keys/routes.js";
import { addDocsRoutes } from "./features/operations/docs-route.js";
import { addOperationRoutes } from "./features/operations/operation-routes.js";
import { addPauseRoutes } from "./features/pauses/routes.js";
import { addAdminProviderRoutes, addProvidersRoute } from "./features/providers/routes.js";
import { WeightRecommender } from "./features/replay/recommended-weight.js";
import { addRouteAgainRoute } from "./features/replay/route-again.js";
import { addTraceReplayRoute, addTraceValueRoute } from "./features/replay/routes.js";
import { addAdminRouterRoutes } from "./features/routing/admin-router-routes.js";
import { addModelsRoutes } from "./features/routing/models-route.js";
import { addRouterRoutes } from "./features/routing/router-routes.js";
import { addSettingsRoutes } from "./features/settings/routes.js";
import {
  addAdminTraceRoutes,
  addConversationRoute,
  addTraceExportRoute,
} from "./features/traces/admin-traces-route.js";
import { addOperatorTraceRoute } from "./features/traces/operator-trace-route.js";
import { addFeedbackRoute, addTraceRoutes } from "./features/traces/traces-route.js";
import { answerBrokenRequest } from "./http/broken-request.js";
import { answerHeaders } from "./http/error-reply.js";
import { limitRequestsInFlight, limitSearches } from "./http/plugins/admission.js";
import { requireAuthentication } from "./http/plugins/authentication.js";
import { acceptJsonBodies, inflateRequests, shortenReplies } from "./http/plugins/bodies.js";
import { addErrorReplies, replyWithError } from "./http/plugins/errors.js";
import { collectOpenApi } from "./http/plugins/openapi.js";
import { addRequestHooks } from "./http/plugins/requests.js";
import { allowOrigins } from "./http/plugins/sites.js";
import { addShutdown } from "./http/shutdown.js";

/** Of a name in a path, such as a request id: longer than any that exists, so that the route says that there is none. */
const MAX_PARAM_CHARACTERS = 1024;
const REQUEST_TIMEOUT_MS = 120_000;
/** For which a client may take nothing of what waits for it: as long as a provider may be silent within a stream. */
const CLIENT_STALL_TIMEOUT_MS = 60_000;

/**
 * The HTTP server over the given dependencies, not listening yet. Requests that arrive after `close` began are answered with
 * 503 `overloaded`; those before it are finished.
 */
export function createApp(dependencies: ServerDependencies): FastifyInstance {
  const newRequestId = createRequestIdGenerator(dependencies);
  const app: FastifyInstance = fastify({
    // Requests are logged by our own hook below, without a child logger for each.
    logger: false,
    bodyLimit: dependencies.limits.maxBodyBytes,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    http: { requireHostHeader: false },
    requestIdHeader: false,
    genReqId: newRequestId,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: CLIENT_STALL_TIMEOUT_MS,
    schemaController: { compilersFactory: { buildValidator: notOurs, buildSerializer: notOurs } },
    return503OnClosing: false,
    clientErrorHandler: (fault, socket) => answerBrokenRequest(fault, { socket, requestId: newRequestId() }),
    frameworkErrors: (fault, request, reply) => {
      reply.headers(answerHeaders(request.id));
      replyWithError(fault, { request, reply, dependencies });
    },
  });
  app.setValidatorCompiler(compileValidator);
  // Bodies are built by our own typed code; checking them again would cost more than making the decision.
  app.setSerializerCompiler(() => exactJson);
  app.decorateRequest("principal", null);
  inflateRequests(app);
  acceptJsonBodies(app);
  shortenReplies(app);
  addErrorReplies(app, dependencies);
  addShutdown(app);
  addRequestHooks(app, dependencies);
  logRequests(app, dependencies);
  if (dependencies.limits.corsOrigins !== undefined) allowOrigins(app, dependencies.limits.corsOrigins);
  const makeDocument = collectOpenApi(app, dependencies);
  const recommending = { ...dependencies, recommender: new WeightRecommender(dependencies) };
  app.register(async (open) => addOpenRoutes(open, { ...dependencies, makeDocument }));
  app.register(async (guarded) => addInferenceRoutes(guarded, recommending));
  app.register(async (guarded) => addSearchRoutes(guarded, recommending));
  app.register(async (guarded) => addAdminRoutes(guarded, dependencies));
  return app;
}

interface OpenRouteDependencies extends ServerDependencies {
  readonly makeDocument: ReturnType<typeof collectOpenApi>;
}

function addOpenRoutes(app: FastifyInstance, dependencies: OpenRouteDependencies): void {
  addOperationRoutes(app, dependencies);
  addDocsRoutes(app, dependencies.makeDocument);
  if (dependencies.console !== null) {
    addConsolePageRoutes(app, dependencies.console);
    addConsoleSessionRoutes(app, { ...dependencies, ...dependencies.console });
  }
}

interface RecommendingDependencies extends ServerDependencies {
  readonly recommender: WeightRecommender;
}

function addInferenceRoutes(app: FastifyInstance, dependencies: RecommendingDependencies): void {
  limitRequestsInFlight(app, dependencies);
  requireAuthentication(app, dependencies);
  addAnswerRoutes(app, dependencies);
  addKeptResponsesRoutes(app, dependencies);
  addEmbeddingsRoute(app, dependencies);
  addRouterRoutes(app, dependencies);
  addProvidersRoute(app, dependencies);
  addModelsRoutes(app, dependencies);
  addFeedbackRoute(app, dependencies);
}

function addSearchRoutes(app: FastifyInstance, dependencies: RecommendingDependencies): void {
  limitSearches(app);
  requireAuthentication(app, dependencies);
  addTraceRoutes(app, dependencies);
  addAdminTraceRoutes(app, dependencies);
  addTraceExportRoute(app, dependencies);
  addTraceReplayRoute(app, dependencies);
  addConversationRoute(app, dependencies);
  addConversationCostRoute(app, dependencies);
  addOperatorTraceRoute(app, dependencies);
  addTraceValueRoute(app, dependencies);
}

function addAdminRoutes(app: FastifyInstance, dependencies: ServerDependencies): void {
  requireAuthentication(app, dependencies);
  addAdminKeyRoutes(app, dependencies);
  addRefusalsRoute(app, dependencies);
  addPauseRoutes(app, dependencies);
  addBudgetsRoute(app, dependencies);
  addComparisonsRoute(app, dependencies);
  addAlertRoutes(app, dependencies);
  addEventsRoute(app, dependencies);
  addSettingsRoutes(app, dependencies);
  addAttentionRoute(app, dependencies);
  addAdminProviderRoutes(app, dependencies);
  addAdminRouterRoutes(app, dependencies);
  addRouteAgainRoute(app, dependencies);
}

/**
 * Zod schemas as Fastify's validators, with our own words for what is wrong. Bodies are checked and handed on as they
 * came, so that what no schema names reaches providers unchanged; schemas of bodies therefore have no defaults.
 */
const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  if (!(schema instanceof z.ZodType)) throw new TypeError("Route schemas are Zod schemas.");
  return (input: unknown) => {
    const parsed = schema.safeParse(input);
    if (!parsed.success) return { error: invalidRequest(parsed.error, input) };
    return { value: httpPart === "body" ? input : parsed.data };
  };
};

/** Keeps Fastify from loading its own schema compilers, which would never be used and take a tenth of the start's time. */
const notOurs = (): never => {
  throw new TypeError("Schemas are compiled by the compilers that createApp sets.");
};

/** One line a request from `debug` on: never a body, a header or a query. */
function logRequests(app: FastifyInstance, { logger }: Pick<ServerDependencies, "logger">): void {
  if (!logger.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    logger.debug(
      {
        request_id: request.id,
        ...(request.span !== null && { trace_id: request.span.traceId }),
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        ...(request.errorCode !== "" && { code: request.errorCode }),
        principal: request.principal?.id ?? null,
        latency_ms: reply.elapsedTime,
      },
      "request",
    );
    done();
  });
}
