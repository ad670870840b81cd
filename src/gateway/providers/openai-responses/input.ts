/** Chat messages as `input` of a Responses request. */
import { isJsonObject, isSealed, type JsonObject, objectsIn, sealedIn, unsealed } from "../chat.js";
import { refusal } from "../provider.js";

interface InputOptions {
  /** Id of the provider: reasoning that another one sealed is left out. */
  readonly provider: string;
}

/**
 * Items in the order of the messages. An assistant's message becomes its reasoning, its text and its calls.
 *
 * @throws ProviderFault `request_refused` naming a part that the API does not take
 */
export function responsesInput(
  messages: readonly JsonObject[],
  { provider }: InputOptions,
): readonly JsonObject[] {
  /** Ids of calls of custom tools, whose outputs have a type of their own. */
  const custom = new Set<unknown>();
  return messages.flatMap((message, at) => {
    const path = `messages[${at}]`;
    if (message.role === "assistant") return answerItems(message, { provider, custom, path });
    if (message.role === "tool") return [outputItem(message, { custom, path })];
    return [{ type: "message", role: message.role, content: contentOf(message.content, path) }];
  });
}

interface ItemOptions extends Partial<InputOptions> {
  readonly custom: Set<unknown>;
  readonly path: string;
}

function answerItems(
  message: JsonObject,
  { provider = "", custom, path }: ItemOptions,
): readonly JsonObject[] {
  const calls = objectsIn(message.tool_calls);
  const reasoning = sealedIn(message).flatMap((text) => unsealed(text, provider) ?? []);
  const before = (first: number, last: number): readonly JsonObject[] =>
    reasoning
      .filter(({ at }) => at >= first && at <= last)
      .map(({ content }) => ({ type: "reasoning", summary: [], encrypted_content: content }));
  const items = calls.flatMap((call, index) => [
    ...(index === 0 ? [] : before(index, index)),
    callItem(call, custom),
  ]);
  const said = answerContent(message, path);
  const whole = said.length === 0 ? items : [{ type: "message", role: "assistant", content: said }, ...items];
  // Reasoning alone, without what followed it, is refused.
  return whole.length === 0 ? [] : [...before(0, 0), ...whole];
}

function answerContent({ content, refusal: refused }: JsonObject, path: string): readonly JsonObject[] {
  const texts =
    typeof content === "string"
      ? [content]
      : objectsIn(content).map((part, at) => {
          if (part.type === "refusal") return "";
          if (typeof part.text === "string") return part.text;
          throw refusal(`${path}.content[${at}].type`, "must be text in an assistant's message");
        });
  const text = texts.join("");
  const refusals = objectsIn(content).filter((part) => part.type === "refusal");
  return [
    ...(text === "" ? [] : [{ type: "output_text", text, annotations: [] }]),
    ...refusals,
    ...(typeof refused === "string" && refused !== "" ? [{ type: "refusal", refusal: refused }] : []),
  ];
}

function callItem(call: JsonObject, custom: Set<unknown>): JsonObject {
  if (isJsonObject(call.custom)) {
    custom.add(call.id);
    const { name, input = "" } = call.custom;
    return { type: "custom_tool_call", call_id: call.id, name, input };
  }
  const { name, arguments: given = "" } = isJsonObject(call.function) ? call.function : {};
  return { type: "function_call", call_id: call.id, name, arguments: given };
}

function outputItem({ tool_call_id: id, content }: JsonObject, { custom, path }: ItemOptions): JsonObject {
  const type = custom.has(id) ? "custom_tool_call_output" : "function_call_output";
  return { type, call_id: id, output: contentOf(content ?? "", path) };
}

function contentOf(content: unknown, path: string): unknown {
  if (!Array.isArray(content)) return content ?? "";
  return content.map((part: unknown, at) => partOf(part, `${path}.content[${at}]`));
}

function partOf(part: unknown, path: string): JsonObject {
  const {
    type,
    text,
    image_url: image,
    file,
    prompt_cache_breakpoint: mark,
  } = isJsonObject(part) ? part : {};
  // The end of a prefix for OpenAI's cache: https://developers.openai.com/api/docs/guides/prompt-caching (2026-11-28).
  const marked = isJsonObject(mark) ? { prompt_cache_breakpoint: mark } : {};
  if (type === "text") return { type: "input_text", text, ...marked };
  if (type === "image_url" && isJsonObject(image)) {
    return { type: "input_image", image_url: image.url, detail: image.detail ?? "auto", ...marked };
  }
  if (type === "file" && isJsonObject(file)) return { type: "input_file", ...file, ...marked };
  throw refusal(
    `${path}.type`,
    `is ${JSON.stringify(type ?? null)}, which the model's API does not take; it takes text, image_url and file`,
  );
}

/**
 * The body of a client's own Responses request as this provider takes it: reasoning that it cannot read is left out, which
 * is all that another one sealed, and reasoning that came without its content, when the provider keeps none.
 */
export function readableInput(body: JsonObject, { provider }: InputOptions): JsonObject {
  const { input } = body;
  if (!Array.isArray(input) || !input.some((item) => isJsonObject(item) && item.type === "reasoning"))
    return body;
  return { ...body, input: input.flatMap((item: unknown) => readableItem(item, { provider, body })) };
}

function readableItem(
  item: unknown,
  { provider, body }: InputOptions & { readonly body: JsonObject },
): readonly unknown[] {
  if (!isJsonObject(item) || item.type !== "reasoning") return [item];
  const { encrypted_content: content, id, ...rest } = item;
  // With an id alone it may be kept where it was made.
  if (typeof content !== "string") {
    return body.store === true || typeof body.previous_response_id === "string" ? [item] : [];
  }
  if (content.startsWith(PACKED_THINKING)) return [];
  if (!isSealed(content)) return [item];
  const own = unsealed(content, provider);
  return own === null ? [] : [{ ...rest, encrypted_content: own.content }];
}

/** Claude's thinking as `dialects/responses/thinking.ts` packs it. */
const PACKED_THINKING = "thinking_blocks:";
