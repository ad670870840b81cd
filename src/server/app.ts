import fastify, { type FastifyInstance, type FastifySchemaCompiler } from "fastify";
import { z } from "zod";
import { invalidRequest } from "../api/issue-text.js";
import { SextantError } from "../foundation/errors.js";
import { createUlidGenerator, requestIdOf } from "../foundation/request-id.js";
import { addAdminKeyRoutes } from "./admin/admin-keys-route.js";
import { addAdminProvidersRoute } from "./admin/admin-providers-route.js";
import { addProvidersRoute } from "./admin/providers-route.js";
import { addChatCompletionsRoute } from "./chat/chat-completions-route.js";
import { addCompletionsRoute } from "./chat/completions-route.js";
import { addConsolePageRoutes } from "./console/page-route.js";
import { addConsoleSessionRoutes } from "./console/session-route.js";
import type { ServerDependencies } from "./dependencies.js";
import { answerBrokenRequest } from "./http/broken-request.js";
import { requireAuthentication } from "./http/plugins/authentication.js";
import { addErrorReplies, replyWithError } from "./http/plugins/errors.js";
import { acceptJsonBodies } from "./http/plugins/json-body.js";
import { collectOpenApi } from "./http/plugins/openapi.js";
import { limitRequestsInFlight, limitSearches, watchRequests } from "./http/plugins/requests.js";
import { addDocsRoutes } from "./operations/docs-route.js";
import { addHealthRoutes } from "./operations/health-route.js";
import { addMetricsRoute } from "./operations/metrics-route.js";
import { addOpenApiRoute } from "./operations/openapi-route.js";
import { addProfilesReloadRoute } from "./routing/admin-profiles-route.js";
import { addAdminRouterRoutes } from "./routing/admin-router-route.js";
import { addModelsRoutes } from "./routing/models-route.js";
import { addProfilesRoute } from "./routing/profiles-route.js";
import { addRouterRoute } from "./routing/router-route.js";
import { addTraceSeriesRoute } from "./traces/admin-series-route.js";
import { addTraceExportRoute, addTraceStatsRoute } from "./traces/admin-traces-route.js";
import { addTraceRoutes } from "./traces/traces-route.js";

const REQUEST_TIMEOUT_MS = 120_000;
const IDLE_CHECK_MS = 50;

/**
 * The HTTP server over the given parts, not yet listening. Requests that arrive after `close` began are answered with
 * 503 `overloaded`; those before it are finished.
 */
export function createApp(parts: ServerDependencies): FastifyInstance {
  const nextUlid = createUlidGenerator(parts);
  const app: FastifyInstance = fastify({
    // Requests are logged by our own hook below, without a child logger for each.
    logger: false,
    bodyLimit: parts.limits.maxBodyBytes,
    requestIdHeader: false,
    genReqId: () => requestIdOf(nextUlid()),
    requestTimeout: REQUEST_TIMEOUT_MS,
    schemaController: { compilersFactory: { buildValidator: notOurs, buildSerializer: notOurs } },
    return503OnClosing: false,
    clientErrorHandler: (fault, socket) =>
      answerBrokenRequest(fault, { socket, requestId: requestIdOf(nextUlid()) }),
    frameworkErrors: (fault, request, reply) => {
      reply.header("x-request-id", request.id);
      replyWithError(fault, { request, reply, parts });
    },
  });
  app.setValidatorCompiler(compileValidator);
  // Bodies are built by our own typed code; checking them again would cost more than making the decision.
  app.setSerializerCompiler(() => JSON.stringify);
  app.decorateRequest("principal", null);
  acceptJsonBodies(app);
  addErrorReplies(app, parts);
  watchRequests(app, parts);
  refuseWhileClosing(app);
  logRequests(app, parts);
  const makeDocument = collectOpenApi(app, parts);
  app.register(async (open) => addOpenRoutes(open, { ...parts, makeDocument }));
  app.register(async (guarded) => addInferenceRoutes(guarded, parts));
  app.register(async (guarded) => addSearchRoutes(guarded, parts));
  app.register(async (guarded) => addAdminRoutes(guarded, parts));
  return app;
}

interface OpenRouteDependencies extends ServerDependencies {
  readonly makeDocument: ReturnType<typeof collectOpenApi>;
}

function addOpenRoutes(app: FastifyInstance, parts: OpenRouteDependencies): void {
  addHealthRoutes(app, parts);
  addMetricsRoute(app, parts);
  addOpenApiRoute(app, parts.makeDocument);
  addDocsRoutes(app, parts.makeDocument);
  if (parts.console !== null) {
    addConsolePageRoutes(app, parts.console);
    addConsoleSessionRoutes(app, { ...parts, ...parts.console });
  }
}

function addInferenceRoutes(app: FastifyInstance, parts: ServerDependencies): void {
  limitRequestsInFlight(app, parts);
  requireAuthentication(app, parts.authenticator);
  addChatCompletionsRoute(app, parts);
  addCompletionsRoute(app, parts);
  addRouterRoute(app, parts);
  addProfilesRoute(app, parts);
  addProvidersRoute(app, parts);
  addModelsRoutes(app, parts);
}

function addSearchRoutes(app: FastifyInstance, parts: ServerDependencies): void {
  limitSearches(app);
  requireAuthentication(app, parts.authenticator);
  addTraceRoutes(app, parts.traces);
  addTraceStatsRoute(app, parts.traces);
  addTraceSeriesRoute(app, parts);
  addTraceExportRoute(app, parts);
}

function addAdminRoutes(app: FastifyInstance, parts: ServerDependencies): void {
  requireAuthentication(app, parts.authenticator);
  addAdminKeyRoutes(app, parts);
  addProfilesReloadRoute(app, parts);
  addAdminProvidersRoute(app, parts);
  addAdminRouterRoutes(app, parts);
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

/** In the place of Fastify's own compilers, which it would load at the start and never use: a tenth of the start's time. */
const notOurs = (): never => {
  throw new TypeError("Schemas are compiled by the compilers that createApp sets.");
};

function refuseWhileClosing(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", (done) => {
    closing = true;
    closeConnectionsAsTheyFallIdle(app.server);
    done();
  });
  app.addHook("onRequest", (_request, reply, done) => {
    if (!closing) return done();
    reply.header("connection", "close");
    const message =
      "The server is shutting down. Send the request again: another instance or a restarted one answers.";
    done(new SextantError("overloaded", message, { extra: { retry_after: 1 } }));
  });
}

/** A connection that was busy when the server began to close would otherwise keep it open for its keep-alive time. */
function closeConnectionsAsTheyFallIdle(server: FastifyInstance["server"]): void {
  const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  server.once("close", () => clearInterval(timer));
  timer.unref();
}

/** One line a request from `debug` on: never a body, a header or a query. */
function logRequests(app: FastifyInstance, { logger }: Pick<ServerDependencies, "logger">): void {
  if (!logger.isLevelEnabled("debug")) return;
  app.addHook("onResponse", (request, reply, done) => {
    logger.debug(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        principal: request.principal?.id ?? null,
        latency_ms: reply.elapsedTime,
      },
      "request",
    );
    done();
  });
}
