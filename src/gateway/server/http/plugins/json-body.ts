import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../../foundation/errors.js";
import { MAX_NESTING, shapeFault } from "../../../../foundation/nesting.js";
import type { ServerDependencies } from "../../dependencies.js";

/**
 * Reads `application/json` bodies and nothing else, and says what is wrong with one that cannot be read. An empty one is
 * none, which is for the route to refuse: clients name the type of a body that they do not send.
 */
export function acceptJsonBodies(
  app: FastifyInstance,
  { maxBodyValues }: Pick<ServerDependencies["limits"], "maxBodyValues">,
): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (!isUtf8(request.headers["content-type"])) return done(otherCharset(request.headers["content-type"]));
    if (body.trim() === "") return done(null, undefined);
    const fault = shapeFault(body, { maxValues: maxBodyValues });
    if (fault !== undefined) return done(fault === "deep" ? tooDeep() : tooWide(maxBodyValues));
    parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(faultOf(body));
    });
  });
}

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

const tooWide = (most: number): SextantError =>
  new SextantError(
    "invalid_request",
    `The body has more than ${most} texts, lists and objects (SEXTANT_MAX_BODY_VALUES). Send fewer.`,
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
