import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../dependencies.js";
import { chooseForm, type PageFile, readPageFiles } from "./page-files.js";

const PREFIX = "/console";
const INDEX = "index.html";

/** `GET /console`: the operator console, as its build left it. Its files are read when it is first asked for. */
export function addConsolePageRoutes(
  app: FastifyInstance,
  { pageFolder }: Pick<NonNullable<ServerDependencies["console"]>, "pageFolder">,
): void {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  for (const url of [PREFIX, `${PREFIX}/*`]) {
    app.route({
      method: "GET",
      url,
      schema: { hide: true },
      handler: async (request, reply) => {
        files ??= readPageFiles(pageFolder);
        return sendFile(fileFor(request.url, await files), { request, reply });
      },
    });
  }
}

/** The file of that name; for every other path the page itself, which knows its own addresses. */
function fileFor(url: string, files: ReadonlyMap<string, PageFile>): PageFile {
  const path = (url.split("?", 1)[0] ?? "").slice(PREFIX.length + 1);
  const file = files.get(path) ?? (path.includes(".") ? undefined : files.get(INDEX));
  if (file !== undefined) return file;
  throw new SextantError(
    "not_found",
    files.has(INDEX)
      ? `The console has no file ${JSON.stringify(path.slice(0, 80))}. Open ${PREFIX}.`
      : "The console was not built. Run `npm run build`, or install the package, which has it.",
  );
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function sendFile(file: PageFile, { request, reply }: Exchange): FastifyReply {
  reply.headers(SECURITY_HEADERS);
  reply.header("etag", file.etag);
  reply.header("vary", "accept-encoding");
  reply.header("cache-control", file.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const { body, encoding } = chooseForm(file, request.headers["accept-encoding"]);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.type).send(body);
}

/** Everything comes from this server, nothing is written into the page as a script or style, and no other page may frame it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** Headers of everything under `/console`. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};
