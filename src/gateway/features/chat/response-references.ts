/** What a Responses request refers to by its id, and what a reply makes known for later ones. */

import { SextantError } from "../../../foundation/errors.js";
import type { ResponsesRequestBody } from "../../api/responses-request.js";
import { keptKey, type ResponseMemory } from "../../conversations/stored-responses.js";
import { summaryIn } from "../../dialects/responses/compaction.js";
import { isJsonObject, type JsonObject, objectsIn } from "../../providers/chat.js";
import type { InferenceRequest } from "../../run/request.js";

interface ReferenceOptions {
  readonly memory: ResponseMemory;
  /** Id of the principal: what others' requests made is not found. */
  readonly principal: string;
}

/** A request as it is run. */
interface Referring {
  readonly body: ResponsesRequestBody;
  /** Name of the provider's key that made what it continues. */
  readonly key?: string | undefined;
  /** Id of the provider that compacted the conversation, which no other can read. */
  readonly compactedBy?: string | undefined;
}

/**
 * The request with the items themselves for references to them, as far as they are remembered, and bound to the provider and
 * the key that keep its `previous_response_id`. The body itself when it refers to nothing.
 *
 * @throws SextantError `invalid_request` for a response that is not kept, or at another provider than the request names
 */
export async function withReferences(
  body: ResponsesRequestBody,
  options: ReferenceOptions,
): Promise<Referring> {
  const { input, previous_response_id: previous } = body;
  const items =
    Array.isArray(input) && input.some((item) => refers(item) || isUnsigned(item))
      ? await referredItems(input, options)
      : input;
  const found = items === input ? body : { ...body, input: items };
  const { memory, principal } = options;
  if (typeof previous !== "string") {
    const content = objectsIn(input).flatMap(compactedContent).at(-1);
    const made = content === undefined ? undefined : await memory.stored.find(keptKey(principal, content));
    return { body: found, key: made?.providerKey, compactedBy: made?.provider };
  }
  const stored = await memory.stored.find(keptKey(principal, previous));
  if (stored === undefined) throw notKept("previous_response_id");
  const { provider } = stored;
  if (typeof body.provider === "string" && body.provider !== provider) {
    throw new SextantError(
      "invalid_request",
      `\`previous_response_id\` names a response that ${JSON.stringify(provider)} keeps, and \`provider\` is another one. Leave \`provider\` out.`,
      { param: "provider" },
    );
  }
  return { body: { ...found, provider }, key: stored.providerKey };
}

/** The request bound to who made what it continues. */
export function boundTo(
  { key, compactedBy }: Pick<Referring, "key" | "compactedBy">,
  request: InferenceRequest,
): InferenceRequest {
  const { native } = request;
  if (!native?.need || compactedBy === undefined) return { ...request, key };
  const notBy = { has: (provider: string) => provider !== compactedBy };
  return { ...request, key, native: { ...native, need: { ...native.need, notBy } } };
}

const notKept = (param: string): SextantError =>
  new SextantError(
    "invalid_request",
    `\`${param}\` names a response that was not kept, or not for this key. Send the conversation in \`input\`, or ask for the first response ` +
      "with `store: true` and a model of a provider that has the Responses API.",
    { param },
  );

/** What a provider made of a conversation. */
const compactedContent = (item: JsonObject): readonly string[] =>
  item.type === "compaction" && typeof item.encrypted_content === "string" && summaryIn(item) === null
    ? [item.encrypted_content]
    : [];

/** An item by its id alone, and reasoning without its content. */
const refers = (item: unknown): boolean =>
  isJsonObject(item) &&
  typeof item.id === "string" &&
  (item.type === "item_reference" ||
    (item.type === "reasoning" && typeof item.encrypted_content !== "string"));

type Items = Extract<ResponsesRequestBody["input"], readonly unknown[]>;

async function referredItems(input: Items, { memory, principal }: ReferenceOptions): Promise<Items> {
  const find = (id: string) => memory.items.find(keptKey(principal, id));
  const items = await Promise.all(
    input.map(async (item) => {
      if (refers(item)) return (await find(String(item.id))) ?? item;
      return isUnsigned(item) ? signed(item, await find(callName(item.call_id))) : item;
    }),
  );
  return items as Items;
}

/** A call as AI SDK sends it back: without its id, and without the signature that came with it. */
const isUnsigned = (item: unknown): item is JsonObject & { readonly call_id: string } =>
  isJsonObject(item) &&
  item.type === "function_call" &&
  typeof item.call_id === "string" &&
  item.extra_content === undefined;

/** A provider may use an id again, for another call. */
const signed = (call: JsonObject, kept: JsonObject | undefined): JsonObject =>
  kept?.name === call.name && kept?.arguments === call.arguments
    ? { ...call, extra_content: kept?.extra_content }
    : call;

const callName = (id: string): string => `call ${id}`;

interface NoteOptions extends ReferenceOptions {
  readonly request: ResponsesRequestBody;
  /** Name of the key that made it; undefined where the provider has one or none. */
  readonly key: string | undefined;
}

/**
 * Remembers a response: its items, when the request says nothing of `store`, because clients that leave it out refer to them as if
 * OpenAI kept them; who keeps it, when the provider does; and who compacted a conversation.
 */
export function noteResponse(
  response: JsonObject,
  { request, memory, principal, key: madeBy }: NoteOptions,
): void {
  const { id, output, store, provider, model } = response;
  if ((request.store ?? null) === null && Array.isArray(output)) {
    for (const item of output) {
      if (!isJsonObject(item) || typeof item.id !== "string") continue;
      memory.items.remember(keptKey(principal, item.id), item);
      if (item.extra_content !== undefined && typeof item.call_id === "string")
        memory.items.remember(keptKey(principal, callName(item.call_id)), item);
    }
  }
  const isKept = store === true || response.background === true || request.background === true;
  const made = { provider: String(provider), model: String(model), providerKey: madeBy };
  const kept = isKept && typeof id === "string" ? [id] : [];
  for (const one of [...kept, ...objectsIn(output).flatMap(compactedContent)])
    memory.stored.remember(keptKey(principal, one), made);
}
