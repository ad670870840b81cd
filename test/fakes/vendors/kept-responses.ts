import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { jsonReply, type Script } from "../upstream-server.js";
import { list } from "./rule.js";
import { responseReply, weatherResponse } from "./weather.js";

/** Responses that OpenAI keeps. */
export class KeptResponses {
  readonly #kept = new Map<string, { readonly response: Record<string, unknown>; readonly input: unknown }>();

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** What a kept response answered; undefined when there is none by that id. */
  outputOf(id: string): readonly JsonObject[] | undefined {
    const kept = this.#kept.get(id);
    return kept === undefined ? undefined : list(kept.response.output);
  }

  /** Answers a request for a new one. */
  create(body: JsonObject): Script {
    const response = weatherResponse(body);
    if (body.store !== false) this.#kept.set(String(response.id), { response, input: body.input });
    return body.background === true
      ? jsonReply({ ...response, status: "queued", output: [], usage: null })
      : responseReply(response, body);
  }

  /** Answers a request about a kept one. */
  ask(method: string, id: string, action: string | undefined): Script {
    const found = this.#kept.get(id);
    if (found === undefined) {
      const message = `Response with id '${id}' not found.`;
      const error = { message, type: "invalid_request_error", param: null, code: null };
      return jsonReply({ error }, { status: 404 });
    }
    if (method === "DELETE") {
      this.#kept.delete(id);
      return jsonReply({ id, object: "response.deleted", deleted: true });
    }
    if (action === "input_items") return jsonReply({ object: "list", data: [{ content: found.input }] });
    if (action === "cancel") found.response.status = "cancelled";
    return jsonReply(found.response);
  }
}
