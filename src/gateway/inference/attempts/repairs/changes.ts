/** What of a request may be changed or left out when a provider refuses it by name. Links and days: docs/vendors.md. */
import { isJsonObject, type JsonObject, memberOf, objectsIn } from "../../../providers/chat.js";
import { type Change, type Finder, hasNone, isSet, type Refused, whenSaid, without } from "./change.js";
import { effortIn, isRequestEffort, otherEffort } from "./efforts.js";
import { MESSAGE_FINDERS } from "./messages.js";
import { withoutRefusedSeals } from "./seals.js";

/** The change that makes a refused request one that passes; null where only the caller can know what to change. */
export function changeFor(refused: Refused): Change | null {
  // The effort is named there, and is not the fault.
  if (refused.text.startsWith("Function tools with")) return null;
  for (const find of FINDERS) {
    const change = find(refused);
    if (change !== null && change.apply(refused.sent) !== refused.sent) return change;
  }
  return null;
}

/** What requests have in common that are refused the same sampling and thinking. */
export function situationOf(body: JsonObject): string {
  const { thinking, tool_choice: choice } = body;
  const effort = effortIn(body) ?? "";
  const forced =
    choice === "required" ||
    (isJsonObject(choice) && ["any", "tool", "function"].includes(String(choice.type)));
  const kind = isJsonObject(thinking) ? String(thinking.type).slice(0, MOST_CHARACTERS) : "";
  const known = effort === "" || isRequestEffort(effort) ? effort : "other";
  return [known, kind, forced ? "forced" : "", continuesWithoutThoughts(body) ? "continued" : ""].join(" ");
}

/** Of a type of thinking; those that there are have fewer. */
const MOST_CHARACTERS = 16;

/** Fields without which the model answers the same question, by its own ways or with less bookkeeping. */
const LEFT_OUT = [
  "temperature",
  "top_p",
  "top_k",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "parallel_tool_calls",
  "verbosity",
  "user",
  "metadata",
  "safety_identifier",
  "prompt_cache_key",
  "prompt_cache_retention",
] as const;

const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Whether a text names a field, in quotes, behind its path, or where it says what it is about. */
function names(text: string, field: string): boolean {
  const either = [field, camel(field)].join("|");
  const start =
    "(?:^|['\"`]|\\b(?:body|text)\\.|\\b(?:parameter|invalid) |\\b(?:argument|model)[^:'\"`]{0,40}: )";
  return new RegExp(`${start}(?:${either})(?=['"\`:.\\s]|$)`).test(text);
}

/** A vendor that names the field beside its text may quote anything in the text. */
const isAbout = ({ text, param }: Refused, field: string): boolean =>
  param === null ? names(text, field) : param === field || param === `text.${field}`;

const droppedField: Finder = (refused) => {
  if (/`temperature` and `top_p` cannot both/.test(refused.text)) return dropped("top_p");
  if (!hasNone(refused)) return null;
  const field = LEFT_OUT.find((name) => isSet(valueAt(refused.sent, name)) && isAbout(refused, name));
  return field === undefined ? null : dropped(field);
};

const dropped = (field: string): Change => ({
  ...{ field, key: `drop ${field}`, scope: "alike" },
  apply: (body) => withoutField(body, field),
});

const valueAt = (body: JsonObject, field: string): unknown =>
  body[field] ?? (field === "verbosity" && isJsonObject(body.text) ? body.text.verbosity : undefined);

function withoutField(body: JsonObject, field: string): JsonObject {
  if (field in body || field !== "verbosity" || !isJsonObject(body.text)) return without(body, field);
  return { ...body, text: without(body.text, field) };
}

// Limits

const LIMITS = ["max_tokens", "max_completion_tokens", "max_output_tokens"] as const;

const renamedLimit: Finder = (refused) => {
  if (!hasNone(refused)) return null;
  const [older, newer] = LIMITS;
  // The next sentence names the other one.
  const text = refused.text.split(". ")[0] ?? "";
  const from = [older, newer].find((name) => isAbout({ ...refused, text }, name));
  if (from === undefined) return null;
  const to = from === older ? newer : older;
  return {
    ...{ field: from, key: "name of the limit", scope: "always" },
    apply: (body) => (isSet(body[from]) ? { ...without(body, from), [to]: body[from] } : body),
  };
};

const MOST_TOKENS =
  /^max_tokens(?: is too large)?: \d+(?:\. This model supports at most (\d+)| > (\d+), which is the maximum)|^Invalid max_tokens value, the valid range of max_tokens is \[1, ?(\d+)\]/;

/** The answer could not be longer anyway. */
const lowerLimit: Finder = ({ text }) => {
  const most = Number(MOST_TOKENS.exec(text)?.slice(1).find(isSet) ?? 0);
  if (most === 0) return null;
  const isAbove = (value: unknown): boolean => typeof value === "number" && value > most;
  return {
    ...{ field: "max_tokens", key: "most tokens", scope: "always" },
    apply: (body) => {
      const above = LIMITS.filter((name) => isAbove(body[name]));
      return above.length === 0
        ? body
        : { ...body, ...Object.fromEntries(above.map((name) => [name, most])) };
    },
  };
};

/** A limit above what the prompt leaves of the context: without one the answer may take that. */
const restOfContext: Finder = ({ text }) => {
  const [, context, prompt = 0] = NO_ROOM.map((words) => words.exec(text)).find(isSet) ?? [];
  return context !== undefined && Number(prompt) < Number(context)
    ? limitChange((body) => LIMITS.reduce((rest, name) => without(rest, name), body))
    : null;
};

/** vLLM's words, OpenAI's and older vLLMs', and newer ones', which have not counted the prompt. */
const NO_ROOM = [
  /^(?:'max_tokens' or 'max_completion_tokens' is too large: \d+\. )?This model's maximum context length is (\d+) tokens and your request has (\d+) input tokens/,
  /^This model's maximum context length is (\d+) tokens\. However, you requested \d+ tokens \((\d+) in the messages/,
  /^This model's maximum context length is (\d+) tokens\. However, you requested \d+ output tokens and/,
];

/** What the account can pay for, where that is enough for an answer. */
const paidLimit: Finder = ({ text }) => {
  const paid = Number(
    /^This request requires more credits, or fewer max_tokens\b.*can only afford (\d+)/.exec(text)?.[1] ?? 0,
  );
  if (paid < LEAST_PAID) return null;
  return limitChange((body) => {
    const name = LIMITS.find((limit) => isSet(body[limit])) ?? "max_tokens";
    return Number(body[name] ?? paid + 1) > paid ? { ...body, [name]: paid } : body;
  });
};

/** About a page. */
const LEAST_PAID = 1000;

/** Of one request: the next one has another prompt, and the account another balance. */
const limitChange = (apply: Change["apply"]): Change => ({
  ...{ field: "max_tokens", key: "limit", scope: "now", apply },
});

// Thinking

const MOST_BUDGET = 16_384;
const LEAST_BUDGET = 1024;

function thinkingChange(
  key: string,
  choose: (thinking: JsonObject, body: JsonObject) => JsonObject | null,
): Change {
  return {
    ...{ field: "thinking", key: `thinking ${key}`, scope: "alike" },
    apply: (body) => {
      if (!isJsonObject(body.thinking)) return body;
      const thinking = choose(body.thinking, body);
      return thinking === null ? without(body, "thinking") : { ...body, thinking };
    },
  };
}

/** A budget is what older models take, adaptive thinking what newer ones do: one for the other, as the translation does. */
const THINKING_FINDERS: readonly Finder[] = [
  whenSaid(
    /thinking\.type\.enabled.{0,3} is not supported/,
    thinkingChange("adaptive", ({ display }) => ({ type: "adaptive", ...(isSet(display) && { display }) })),
  ),
  whenSaid(
    /adaptive thinking is not supported/i,
    thinkingChange("budget", (_, { max_tokens: limit }) => {
      const budget = Math.min(MOST_BUDGET, Math.floor(Number(limit) / 2));
      return budget >= LEAST_BUDGET ? { type: "enabled", budget_tokens: budget } : null;
    }),
  ),
  whenSaid(
    /tool_choice forces tool use|Expected `thinking` or `redacted_thinking`/,
    thinkingChange("off", () => null),
  ),
  whenSaid(/thinking mode does not support this tool_choice/i, {
    ...{ field: "thinking", key: "thinking disabled", scope: "alike" },
    apply: (body) => ({ ...without(body, "reasoning_effort"), thinking: { type: "disabled" } }),
  }),
];

/** Whether a budget of thinking is asked for in a loop of tools that began without: Anthropic refuses that. */
function continuesWithoutThoughts({ thinking, messages }: JsonObject): boolean {
  if (memberOf(thinking, "type") !== "enabled") return false;
  const last = objectsIn(messages).findLast(({ role }) => role === "assistant");
  const blocks = objectsIn(last?.content);
  return blocks.some(({ type }) => type === "tool_use") && !String(blocks[0]?.type).endsWith("thinking");
}

const UNREADABLE =
  /^The encrypted content .{1,200} could not be verified|invalid `?signature`? in `?thinking|thinking` blocks in the latest assistant message cannot be modified|invalid thought signature|thought signature is not valid|corrupted thought signature/i;

/** Reasoning that another host, account or model sealed: the answer is given without it. */
const unreadableReasoning: Finder = ({ text, code }) =>
  code === "invalid_encrypted_content" || UNREADABLE.test(text)
    ? { field: "reasoning", key: "seals", scope: "once", apply: (body) => withoutSealed(body, () => true) }
    : null;

/** The body without reasoning whose seal is refused, and without what it cannot be asked for then; itself when there is none. */
export function withoutSealed(body: JsonObject, isRefused: (seal: string) => boolean): JsonObject {
  const read = withoutRefusedSeals(body, isRefused);
  return read !== body && continuesWithoutThoughts(read) ? without(read, "thinking") : read;
}

// Tools

/** Notes and bounds in a tool's schema that Gemini's kind of schema has no word for. */
const SCHEMA_WORDS: ReadonlySet<string> = new Set([
  ...["$schema", "$id", "$comment", "additionalProperties", "propertyNames", "patternProperties", "const"],
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "default", "examples"],
]);

const toolSchemas: Finder = ({ text }) => {
  const named = [...text.matchAll(/Unknown name "([^"]+)" at '[^']*function_declarations/g)].map(
    ([, word = ""]) => word,
  );
  if (!named.some((word) => SCHEMA_WORDS.has(word))) return null;
  // One refusal names a few of them; more would be named next.
  return {
    ...{ field: "tools", key: "schemas", scope: "always" },
    apply: (body) => (Array.isArray(body.tools) ? { ...body, tools: body.tools.map(withPlainSchema) } : body),
  };
};

function withPlainSchema(tool: unknown): unknown {
  if (!isJsonObject(tool) || !isJsonObject(tool.function)) return tool;
  return { ...tool, function: { ...tool.function, parameters: plainSchema(tool.function.parameters) } };
}

function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([word]) => !SCHEMA_WORDS.has(word));
  return Object.fromEntries(
    kept.map(([word, value]) => {
      // The names of properties are no words of the schema.
      const named = word === "properties" || word === "$defs";
      return [word, named && isJsonObject(value) ? eachOf(value) : plainSchema(value)];
    }),
  );
}

const eachOf = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plainSchema(schema)]));

/** In this order: the first that finds something to change is tried. */
const FINDERS: readonly Finder[] = [
  unreadableReasoning,
  ...THINKING_FINDERS,
  otherEffort,
  lowerLimit,
  restOfContext,
  paidLimit,
  renamedLimit,
  droppedField,
  ...MESSAGE_FINDERS,
  toolSchemas,
];
