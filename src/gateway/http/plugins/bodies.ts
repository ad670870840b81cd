import { createHash } from "node:crypto";
import { type Duplex, Readable } from "node:stream";
import { promisify } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate, gzip } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import { SextantError } from "../../../foundation/errors.js";
import { withMarks } from "../../../foundation/exact-numbers.js";
import { MAX_NESTING, shapeFault } from "../../../foundation/nesting.js";
import { createZstd } from "./zstd.js";

/**
 * Reads `application/json` bodies and nothing else, and says what is wrong with one that cannot be read. An empty one is
 * none, which is for the route to refuse: clients name the type of a body that they do not send.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (!isUtf8(request.headers["content-type"])) return done(otherCharset(request.headers["content-type"]));
    if (body.trim() === "") return done(null, undefined);
    const fault = shapeFault(body, { maxValues: MOST_VALUES });
    if (fault !== undefined) return done(fault === "deep" ? tooDeep() : tooWide());
    const isLarge = body.length >= LARGE;
    const read = () =>
      parse(request, withMarks(body), (error, value) => {
        if (error !== null) done(faultOf(body));
        else if (isLarge) setImmediate(done, null, value);
        else done(null, value);
      });
    if (isLarge) setImmediate(read);
    else read();
  });
}

/**
 * Texts, lists and objects of one body, names of members included: checking that many takes up to a second, in which nothing else
 * is answered. 2,048 messages of ten parts each have 200,000.
 */
const MOST_VALUES = 250_000;

/** UTF-16 units of a body from which on its steps take turns with other requests: ten milliseconds each, and more. */
const LARGE = 524_288;

/** JSON is UTF-8 (RFC 8259), of which ASCII is a part. Bytes of any other encoding would be read as other characters. */
function isUtf8(contentType = ""): boolean {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(contentType)?.[1]?.toLowerCase();
  return charset === undefined || ["utf-8", "utf8", "us-ascii", "ascii"].includes(charset);
}

const otherCharset = (contentType = ""): SextantError =>
  new SextantError(
    "unsupported_media_type",
    `The content type is ${JSON.stringify(contentType.slice(0, 80))}. Send JSON in UTF-8, with \`content-type: application/json\`.`,
  );

const tooDeep = (): SextantError =>
  new SextantError(
    "invalid_request",
    `The body has lists and objects nested more than ${MAX_NESTING} levels deep. Send a flatter one.`,
  );

const tooWide = (): SextantError =>
  new SextantError(
    "invalid_request",
    `The body has more than ${MOST_VALUES} texts, lists and objects. Send fewer.`,
  );

function faultOf(body: string): SextantError {
  try {
    JSON.parse(body);
  } catch {
    // The parser's own message quotes the body, which may be a prompt.
    return new SextantError(
      "invalid_request",
      "The body is not valid JSON. Check quotes, commas, escapes, and that it was sent whole.",
    );
  }
  return new SextantError(
    "invalid_request",
    "The body has a key `__proto__` or `constructor.prototype`, which is never accepted. Remove it.",
  );
}

/** By what an encoding is called; each gets the most bytes of a body. */
const INFLATERS: ReadonlyMap<string, (mostBytes: number) => Duplex> = new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
  ["zstd", createZstd],
]);

/**
 * Reads request bodies that came compressed. The limit of bodies is one of the inflated size too: Fastify counts what it reads
 * here, and stops reading, so that no more is inflated.
 */
export function inflateRequests(app: FastifyInstance): void {
  app.addHook("preParsing", (request, _reply, payload, done) => {
    const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
    if (encoding === "identity" || encoding === "") return done(null, payload);
    const inflater = INFLATERS.get(encoding)?.(request.routeOptions.bodyLimit);
    if (inflater === undefined) return done(unknownEncoding(encoding));
    done(null, new InflatedBody(payload, inflater));
  });
}

/** A compressed body as it was before. Ends with a SextantError when it cannot be inflated. */
class InflatedBody extends Readable {
  /** Bytes that came, which Fastify compares with `content-length`. */
  receivedEncodedLength = 0;
  readonly #inflated: AsyncIterator<Buffer>;

  constructor(payload: RequestPayload, inflater: Duplex) {
    super();
    payload.on("data", (chunk: Buffer) => {
      this.receivedEncodedLength += chunk.length;
    });
    payload.once("error", (fault) => inflater.destroy(fault));
    this.#inflated = payload.pipe(inflater)[Symbol.asyncIterator]();
  }

  override _read(): void {
    this.#inflated.next().then(
      ({ done, value }) => this.push(done === true ? null : value),
      (fault: unknown) => this.destroy(isCutOff(fault) ? (fault as Error) : cannotInflate(fault)),
    );
  }
}

/** The connection broke, which says nothing about the encoding. */
const isCutOff = (fault: unknown): boolean =>
  fault instanceof Error && "code" in fault && fault.code === "ECONNRESET";

const unknownEncoding = (encoding: string): SextantError =>
  new SextantError(
    "unsupported_media_type",
    `The content encoding is ${JSON.stringify(encoding.slice(0, 80))}. Send the body with \`content-encoding\` gzip, deflate, br or zstd, or without one.`,
  );

const cannotInflate = (cause: unknown): SextantError =>
  new SextantError(
    "invalid_request",
    "The body cannot be decompressed as its `content-encoding` says. Check the header, and that the body was sent whole.",
    { cause },
  );

const compress = promisify(gzip);

/**
 * The fastest level: a reply of 64 kB takes a third of a millisecond, a tenth of what zlib's default takes, and is a seventh of its
 * size instead of a fifteenth. It is done in a thread of libuv.
 */
const LEVEL = 1;

/** Below that, compressing takes longer than sending the bytes that it saves. */
const COMPRESSED_BYTES = 16_384;

/**
 * Of JSON replies from 16 KiB on: compresses them for clients that accept gzip, and sends none to a GET whose client has it
 * (`if-none-match`). Shorter ones would arrive later; streams are sent as they come.
 */
export function shortenReplies(app: FastifyInstance): void {
  app.addHook("onSend", (request, reply, payload, done) => {
    const isWhole = typeof payload === "string" || Buffer.isBuffer(payload);
    if (!isWhole || payload.length < COMPRESSED_BYTES) return done(null, payload);
    if (isKnown(payload, { request, reply })) {
      reply.code(304).removeHeader("content-type");
      return done(null, null);
    }
    if (!wantsGzip(request, reply)) return done(null, payload);
    reply.header("vary", varying(reply));
    compress(payload, { level: LEVEL }).then(
      (compressed) => {
        reply.header("content-encoding", "gzip").header("content-length", compressed.length);
        done(null, compressed);
      },
      (fault: Error) => done(fault),
    );
  });
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Whether the client has this reply, which gets a tag. The tag is weak: the id of the request is not part of it. */
function isKnown(payload: string | Buffer, { request, reply }: Exchange): boolean {
  if (request.method !== "GET" || reply.statusCode !== 200 || reply.hasHeader("etag")) return false;
  const text = typeof payload === "string" ? payload.replace(request.id, "") : payload;
  const tag = `W/"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  reply.header("etag", tag);
  return request.headers["if-none-match"] === tag;
}

function wantsGzip({ headers, method }: FastifyRequest, reply: FastifyReply): boolean {
  const accepted = headers["accept-encoding"];
  const type = reply.getHeader("content-type");
  if (accepted === undefined || method === "HEAD" || reply.hasHeader("content-encoding")) return false;
  if (typeof type !== "string" || !type.startsWith("application/json")) return false;
  return negotiate(String(accepted), ["gzip", "identity"]) === "gzip";
}

/** `vary` with the request header that decides. */
function varying(reply: FastifyReply): string {
  const set = reply.getHeader("vary");
  return [...(set === undefined ? [] : [set].flat()), "accept-encoding"].join(", ");
}
