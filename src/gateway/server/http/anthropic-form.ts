import type { FastifyRequest } from "fastify";

/** Whether a client speaks Anthropic's API: its libraries send `anthropic-version` with every request. */
export const wantsAnthropic = ({ headers }: Pick<FastifyRequest, "headers">): boolean =>
  headers["anthropic-version"] !== undefined;
