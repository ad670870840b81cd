/** The models that a server says it has. */

import type { DiscoveredModel } from "../../../engine/catalog/deployments/discovered-models.js";
import { replyText } from "../../../foundation/reply-text.js";
import { memberOf, objectsIn } from "../chat.js";
import { countOf } from "../token-usage.js";

/** A server of one's own has few models; what is longer is no list of them. */
const MOST_BYTES = 4_194_304;
const MOST_MODELS = 1000;
const MOST_NAME_CHARACTERS = 512;

export interface ListedServer {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
}

/**
 * The list below the base URL, which Ollama (https://docs.ollama.com/api/openai-compatibility), vLLM with `max_model_len`, and llama.cpp's server with
 * `meta.n_ctx_train` answer in OpenAI's form (read on 2026-11-23).
 *
 * @throws whatever prevents reading a list
 */
export async function askForModels(
  { baseUrl, apiKey }: ListedServer,
  signal: AbortSignal,
): Promise<readonly DiscoveredModel[]> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const reply = await fetch(`${baseUrl}/models`, { headers, signal, redirect: "error" });
  if (!reply.ok) throw new Error(`it answered with status ${reply.status}`);
  const text = await replyText(reply, MOST_BYTES);
  if (text === null) throw new Error(`its list is longer than ${MOST_BYTES} bytes`);
  const body: unknown = JSON.parse(text);
  return objectsIn(memberOf(body, "data")).slice(0, MOST_MODELS).flatMap(modelOf);
}

function modelOf({ id, max_model_len: window, meta }: Readonly<Record<string, unknown>>): DiscoveredModel[] {
  if (typeof id !== "string" || id === "" || id.length > MOST_NAME_CHARACTERS) return [];
  return [{ id, contextTokens: countOf(window) || countOf(memberOf(meta, "n_ctx_train")) || null }];
}
