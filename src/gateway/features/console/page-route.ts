import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import type { ServerDependencies } from "../../dependencies.js";
import { pageHeaders } from "../../http/page-headers.js";

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
  reply.headers(HEADERS);
  reply.header("etag", file.etag);
  reply.header("vary", "accept-encoding");
  reply.header("cache-control", file.isHashed ? "public, max-age=31536000, immutable" : "no-cache");
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const { body, encoding } = chooseForm(file, request.headers["accept-encoding"]);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.type).send(body);
}

/** Nothing is written into the page as a script or style. */
const HEADERS = pageHeaders(["style-src 'self'", "form-action 'self'", "require-trusted-types-for 'script'"]);

/** One file of the page, in all the forms in which it can be sent. */
interface PageFile {
  readonly type: string;
  readonly etag: string;
  /** Whether its name changes whenever its content does. */
  readonly isHashed: boolean;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json; charset=utf-8",
};

/** What the build puts there carries a hash of its content in its name. */
const HASHED_FOLDER = "assets/";

/**
 * Everything that the build of the page left in a folder, by path with `/`; empty when it was not built. Read once and kept:
 * it is small, and nothing outside of it can be asked for.
 */
async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  for (const path of await pathsIn(folder)) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    const read = (suffix: string) => readFile(join(folder, path + suffix)).catch(() => undefined);
    const [plain, brotli, gzip] = await Promise.all([read(""), read(".br"), read(".gz")]);
    if (plain === undefined) continue;
    const isHashed = path.startsWith(HASHED_FOLDER);
    files.set(path, { type, etag: etagOf(plain), isHashed, plain, brotli, gzip });
  }
  return files;
}

async function pathsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

const etagOf = (bytes: Buffer): string =>
  `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;

/** The smallest form that the client takes, and the name of its encoding. */
function chooseForm(
  file: PageFile,
  acceptEncoding: string | undefined,
): { readonly body: Buffer; readonly encoding: "br" | "gzip" | undefined } {
  const accepted = (acceptEncoding ?? "").split(",").map((encoding) => encoding.trim().split(";", 1)[0]);
  if (file.brotli !== undefined && accepted.includes("br")) return { body: file.brotli, encoding: "br" };
  if (file.gzip !== undefined && accepted.includes("gzip")) return { body: file.gzip, encoding: "gzip" };
  return { body: file.plain, encoding: undefined };
}
