import type { JsonObject } from "../providers/chat.js";

/** A server-sent event, named as its data is typed. */
export const eventText = (event: JsonObject): string =>
  `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
