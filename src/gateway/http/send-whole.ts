import type { FastifyReply } from "fastify";
import { jsonInSteps, jsonLength } from "../../foundation/json-in-steps.js";

/** From there on, writing a reply at once would hold up other requests for milliseconds. */
const LARGE = 1_048_576;

/** Sends a reply, which may be large: then it is written in steps, between which other requests have their turn. */
export async function sendWhole(reply: FastifyReply, body: object): Promise<void> {
  if (jsonLength(body, LARGE) >= LARGE) {
    const json = await jsonInSteps(body);
    // The type knows only strings; bytes are sent as they are.
    reply.serializer(() => json as unknown as string);
  }
  await reply.send(body);
}
