import type { StreamEvent } from "../provider.js";
import { readReplyObject } from "./reply-object.js";
import type { ServerEvent } from "./server-events.js";
import type { StreamTranslator } from "./translated-stream.js";

/** A translator whose every event becomes one chunk that carries the event itself, for a client that speaks its API. */
export class NativeStream implements StreamTranslator {
  readonly #translator: StreamTranslator;

  constructor(translator: StreamTranslator) {
    this.#translator = translator;
  }

  get complete(): boolean {
    return this.#translator.complete;
  }

  read(event: ServerEvent, events: StreamEvent[]): "more" | "finished" {
    const translated: StreamEvent[] = [];
    const state = this.#translator.read(event, translated);
    const choices = translated.flatMap(({ chunk }) => chunk?.choices ?? []);
    const usage = translated.findLast((one) => one.usage !== null)?.usage ?? null;
    events.push({ chunk: { choices, native: readReplyObject(event.data) }, usage });
    return state;
  }
}
