import type { FastifyInstance } from "fastify";
import { SextantError } from "../../errors.js";

/** Reads `application/json` bodies and nothing else, and says what is wrong with one that cannot be read. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(faultOf(body));
    });
  });
}

function faultOf(body: string): SextantError {
  if (body.trim() === "") {
    return new SextantError("invalid_request", "The body is empty. Send a JSON object.");
  }
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
