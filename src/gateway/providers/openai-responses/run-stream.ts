/** Events of a response that its provider makes in the background, or keeps: passed on as they came. */
import type { JsonObject } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { readReplyObject } from "../http/reply-object.js";
import type { ServerEvent } from "../http/server-events.js";
import type { StreamTranslator } from "../http/translated-stream.js";
import { isJsonObject } from "../json-object.js";
import type { KeptReply, StreamEvent } from "../provider.js";
import { answerOf, type ReplyOptions, stateOf } from "./reply.js";

/** What a reply about a kept response says: of the response itself, or of something else. */
export function keptReply(body: JsonObject, options: ReplyOptions): KeptReply {
  if (body.object !== "response" || !Array.isArray(body.output)) return { body, response: null };
  return { body, response: { status: stateOf(body), ...answerOf(body, options) } };
}

/** Every event becomes a chunk that carries it, with what it says of the run. The last one is that in which the run has ended. */
export class RunStream implements StreamTranslator {
  readonly #options: ReplyOptions;
  #complete = false;

  constructor(options: ReplyOptions) {
    this.#options = options;
  }

  get complete(): boolean {
    return this.#complete;
  }

  read({ data }: ServerEvent, events: StreamEvent[]): "more" | "finished" {
    const native = readReplyObject(data);
    if (native.type === "error") throw faultInReply(native);
    const run = isJsonObject(native.response) ? keptReply(native.response, this.#options) : undefined;
    events.push({ chunk: { choices: [], native }, usage: null, ...(run?.response ? { run } : {}) });
    this.#complete =
      run?.response !== undefined && run.response !== null && run.response.status !== "running";
    return this.#complete ? "finished" : "more";
  }
}
