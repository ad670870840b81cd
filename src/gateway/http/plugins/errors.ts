import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import { faultName } from "../../../foundation/log.js";
import type { ServerDependencies } from "../../dependencies.js";
import { messagesErrorBody } from "../../dialects/messages/error.js";
import { asSextantError, errorBody, errorHeaders, wantsAnthropic } from "../error-reply.js";
import { helpForPath, type PathHelp } from "../unknown-path.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whose format the errors of the route have: Anthropic's Messages API's, or by default OpenAI's. */
    readonly errorFormat?: "messages";
  }
}

/** Answers every fault in the one error dialect, unknown paths and wrong methods included. */
export function addErrorReplies(
  app: FastifyInstance,
  dependencies: Pick<ServerDependencies, "limits" | "logger">,
): void {
  const routes = new Map<string, Route>();
  app.addHook("onRoute", ({ url, method }) => {
    // The one for preflight requests of browsers, which stands for no resource.
    if (url === "*") return;
    const { methods } = routes.get(url) ?? { methods: new Set<string>() };
    for (const name of [method].flat()) methods.add(name);
    routes.set(url, { path: pathPattern(url), methods });
  });
  app.setErrorHandler((fault, request, reply) => replyWithError(fault, { request, reply, dependencies }));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const methodsOf = (asked: string) =>
      [...routes.values()].find((route) => route.path.test(asked))?.methods;
    const methods = methodsOf(path);
    if (methods !== undefined) reply.header("allow", [...methods].sort().join(", "));
    const fault =
      methods === undefined
        ? notFound(request.method, path, { methodsOf })
        : request.headers.upgrade?.toLowerCase() === "websocket"
          ? upgradeRequired(path)
          : methodNotAllowed(request.method, path, methods);
    return replyWithError(fault, { request, reply, dependencies });
  });
}

interface Route {
  readonly path: RegExp;
  readonly methods: Set<string>;
}

/** `/admin/keys/:id` → the paths it stands for. */
function pathPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/:[a-z_]+/g, "[^/]+").replace("*", ".*")}$`);
}

interface FailedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly dependencies: Pick<ServerDependencies, "limits" | "logger">;
}

/**
 * Bytes of a body that is too large that are read and dropped, in multiples of the largest allowed, so that a client that is still
 * sending gets the answer. Then the connection is closed.
 */
const DISCARDED_BODIES = 8;

export function replyWithError(
  fault: unknown,
  { request, reply, dependencies }: FailedRequest,
): FastifyReply {
  if (isCutOffBody(fault, request)) return reply.hijack();
  if (isTooLarge(fault)) {
    // Fastify would close it, while the client may be sending.
    reply.removeHeader("connection");
    discardBody(request.raw, DISCARDED_BODIES * dependencies.limits.maxBodyBytes);
  }
  const error = noteError(fault, { request, dependencies });
  const isMessages = usesAnthropicForm(request);
  if (isMessages) reply.header("request-id", request.id);
  const body = isMessages ? messagesErrorBody(error, request.id) : errorBody(error, request.id);
  return reply.code(error.status).headers(errorHeaders(error)).send(body);
}

/** The client went away in the middle of its body, so that no reply reaches it. */
const isCutOffBody = (fault: unknown, { raw }: FastifyRequest): boolean =>
  raw.destroyed && fault instanceof Error && "code" in fault && fault.code === "ECONNRESET";

/** Lists of models and unknown paths are of both APIs; those below Messages are Anthropic's. */
function usesAnthropicForm(request: FastifyRequest): boolean {
  const { config, url = "" } = request.routeOptions;
  if (config.errorFormat === "messages") return true;
  if (request.is404 && request.url.startsWith("/v1/messages/")) return true;
  return (request.is404 || url.startsWith("/v1/models")) && wantsAnthropic(request);
}

const isTooLarge = (fault: unknown): boolean =>
  fault instanceof Error && "code" in fault && fault.code === "FST_ERR_CTP_BODY_TOO_LARGE";

/** A fault as the client is to be told of it. Counts and logs it: bugs as errors, other failures as `info`, refusals as `debug`. */
export function noteError(
  fault: unknown,
  { request, dependencies }: Pick<FailedRequest, "request" | "dependencies">,
): SextantError {
  const error = asSextantError(fault, {
    maxBodyBytes: dependencies.limits.maxBodyBytes,
    contentType: request.headers["content-type"],
  });
  request.errorCode = error.code;
  if (error.code === "internal_error") {
    dependencies.logger.error({ request_id: request.id, fault: traceable(fault) }, "request failed by a bug");
  } else {
    logRefusal(error, { request_id: request.id, logger: dependencies.logger });
  }
  return error;
}

/** Never the message, which is for the caller and may quote what a provider said. */
function logRefusal(
  { code, status, cause }: SextantError,
  { request_id, logger }: { readonly request_id: string; readonly logger: ServerDependencies["logger"] },
): void {
  const details = { request_id, code, status, ...(cause !== undefined && { fault: faultName(cause) }) };
  // An overloaded server sheds load: a line for each request would be load again.
  if (status >= 500 && code !== "overloaded") logger.info(details, "request failed");
  else logger.debug(details, "request refused");
}

function notFound(method: string, path: string, help: PathHelp): SextantError {
  const shown = path.slice(0, 200);
  return new SextantError("not_found", `There is no route ${method} ${shown}. ${helpForPath(shown, help)}`);
}

/** Codex goes on over HTTP at once on this status, and tries others five times (0.171, 2026-11-29). */
const upgradeRequired = (path: string): SextantError =>
  new SextantError("upgrade_required", `${path} is not served over WebSockets. Send the request with POST.`);

function methodNotAllowed(method: string, path: string, methods: ReadonlySet<string>): SextantError {
  const allowed = [...methods].sort().join(" or ");
  return new SextantError("method_not_allowed", `${path} does not accept ${method}. Use ${allowed}.`);
}

/** What a log may hold of a bug: its kind and place. Its message could quote a prompt. */
function traceable(fault: unknown): { readonly name: string; readonly at: readonly string[] } {
  if (!(fault instanceof Error)) return { name: typeof fault, at: [] };
  const frames = (fault.stack ?? "").split("\n").filter((line) => line.trimStart().startsWith("at "));
  return { name: fault.name, at: frames.slice(0, 8).map((line) => line.trim()) };
}

/**
 * Reads the rest of a refused body and drops it. A client that is still sending when its connection closes gets a write error in
 * place of the answer: Node's report `EPIPE` or a "Connection error.", and their SDKs send it all again.
 *
 * @param mostBytes after which the connection is closed all the same
 */
function discardBody(raw: IncomingMessage, mostBytes: number): void {
  let left = mostBytes;
  raw.unpipe();
  raw.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}
