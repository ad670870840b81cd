/** The general rule: a field that a provider refuses by its name is sent by the other name that it has, or left out. */
import { isJsonObject, type JsonObject } from "../../providers/chat.js";
import { type Change, eachMember, isSet, type Refused, withMember, without } from "./change.js";

/** Members without which something else would be asked, or the answer read wrongly: they are for the caller to change. */
const MEANT: ReadonlySet<string> = new Set(
  `model stream messages input prompt suffix system instructions documents previous_response_id conversation thread background
  tools functions function_call tool_choice mcp_servers plugins container web_search_options include max_output_tokens provider
  response_format text output_config format json_schema schema stop stop_sequences n logprobs top_logprobs logit_bias modalities
  audio guardrails moderation safety_settings inference_geo role type name id call_id tool_call_id tool_use_id tool_calls function
  arguments description parameters input_schema properties required items enum content source data media_type url image_url file
  file_id file_data output is_error citations`.split(/\s+/),
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};

/** A field with its path, in quotes, at the start, or behind what says what the sentence is about. */
const NAMED =
  /(?:\b(?:parameter|invalid) |\b(?:argument|model)[^:'"`]{0,40}: |['"`]|^)(?:body\.)?([a-z_$][\w$]*(?:\.\w+|\[\w+\])*)(?=['"`:.\s]|$)/gi;

/** Members whose path a vendor gives beside their name: Groq, then Gemini. */
const withPaths = (text: string): string =>
  text
    .replace(/'([\w.[\]]+)' : property '(\w+)'/g, "'$1.$2'")
    .replace(/unknown name "([^"]+)" at '([^']*)'/gi, "unknown name '$2.$1'");

export function refusedFields(refused: Refused): Change | null {
  const paths = pathsIn(refused);
  if (paths.length === 0) return null;
  const isRenamed = paths.some(([name = ""]) => name in OTHER_NAMES);
  const key = isRenamed ? "name of the limit" : `without ${paths.map((path) => path.at(-1)).join(", ")}`;
  return { key, scope: "alike", apply: (body) => paths.reduce(changedAt, body) };
}

/** A provider knows no such field, or one value of it for this model. */
const HAS_NONE =
  /n[o']t support(?:ed)?\b|unsupported|is deprecated for|unknown[ _](?:name|parameter|field)|unrecognized|extra inputs|not permitted|only (?:the default|1 is|be set to)/i;

/** Paths that are looked for in a body (guess): in a long conversation that takes 15 ms each. */
const MOST_TRIED = 24;

/** Of each thing that is said, the first field that is refused; the body has all of them. */
function pathsIn({ text, param, code, sent }: Refused): readonly (readonly string[])[] {
  // A vendor that names the field beside its text may quote anything in the text.
  const tried = new Map<string, boolean>();
  const isSent = (path: readonly string[]): boolean => {
    const name = path.join(".");
    if (!tried.has(name) && tried.size < MOST_TRIED) tried.set(name, changedAt(sent, path) !== sent);
    return tried.get(name) === true;
  };
  const statements = param === null ? withPaths(text).split(/\n|; |\. /) : [text];
  return statements.flatMap((statement) => {
    if (!HAS_NONE.test(`${code} ${statement}`)) return [];
    const names = param === null ? statement : `'${param}'`;
    const named = [...names.matchAll(NAMED)].flatMap(([, path = ""]) => spellings(path));
    return [named.find(isSent)].filter((path) => path !== undefined);
  });
}

/** As the provider spells it, in the form of its own API, and as the others have it. */
function spellings(name: string): readonly (readonly string[])[] {
  const path = name.replace(/[a-z][A-Z]/g, ([a = "", b = ""]) => `${a}_${b.toLowerCase()}`).split(/[.[\]]+/);
  const steps = path.filter((step) => !/^\d*$/.test(step));
  return MEANT.has(steps.at(-1) ?? "") ? [] : [steps, ["text", ...steps]];
}

function changedAt(body: JsonObject, path: readonly string[]): JsonObject {
  const [name = ""] = path;
  const other = path.length === 1 ? OTHER_NAMES[name] : undefined;
  if (other === undefined) return withoutAt(body, path) as JsonObject;
  return isSet(body[name]) ? { ...without(body, name), [other]: body[name] } : body;
}

/** Without the member of that path, in every item of the lists on the way: a provider names the first that it finds. */
function withoutAt(value: unknown, [step = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return eachMember(value, (item) => withoutAt(item, [step, ...rest]));
  if (!isJsonObject(value)) return value;
  if (rest.length === 0) return without(value, step);
  // Some name the kind of a value as a part of its path: `tools.0.custom.strict`.
  const isOnTheWay = typeof value[step] === "object";
  return isOnTheWay ? withMember(value, step, (held) => withoutAt(held, rest)) : withoutAt(value, rest);
}
