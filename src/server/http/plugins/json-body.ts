import type { FastifyInstance } from "fastify";
import { SextantError } from "../../../foundation/errors.js";

/**
 * Reads `application/json` bodies and nothing else, and says what is wrong with one that cannot be read. An empty one is
 * none, which is for the route to refuse: clients name the type of a body that they do not send.
 */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.trim() === "") return done(null, undefined);
    parse(request, body, (error, value) => {
      if (error === null) done(null, value);
      else done(faultOf(body));
    });
  });
}

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
