import type { FastifyReply } from "fastify";
import { jsonLength, stringifyInSteps } from "../../../foundation/json-in-steps.js";

/** From there on, writing a reply at once would hold up other requests for milliseconds. */
const LARGE = 1_048_576;

/** Sends a reply, which may be large: then it is written in steps, between which other requests have their turn. */
export async function sendWhole(reply: FastifyReply, body: object): Promise<void> {
  if (jsonLength(body, LARGE) >= LARGE) {
    const text = await stringifyInSteps(body);
    reply.serializer(() => text);
  }
  await reply.send(body);
}
