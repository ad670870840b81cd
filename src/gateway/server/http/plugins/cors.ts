import type { FastifyInstance } from "fastify";

/** Headers of ours that a page's script may read. */
const EXPOSED = [
  "x-request-id",
  "request-id",
  "x-routing-model",
  "x-routing-provider",
  "retry-after",
  "retry-after-ms",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-tokens",
];

const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins call `/v1` from a browser, with the key in a header of theirs and never with a cookie. Other
 * routes stay closed to them.
 *
 * @param origins such as `https://app.example.com`; `*` is all of them
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  const allowed = {
    origin: origins.includes("*") ? "*" : [...origins],
    methods: ["GET", "POST"],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  };
  app.register(import("@fastify/cors"), {
    delegator: (request, answer) =>
      answer(null, request.url.startsWith("/v1/") ? allowed : { origin: false }),
  });
}
