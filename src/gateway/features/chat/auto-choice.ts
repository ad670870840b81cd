/** How `model: "auto"` chooses where the body does not say. */
import type { FastifyRequest } from "fastify";
import { withoutMark } from "../../../engine/index.js";
import { SextantError } from "../../../foundation/errors.js";
import type { RequestCaps } from "../../access/request-caps.js";
import { autoWeight } from "../../run/auto-weight.js";
import { capsOf, requireWeight } from "../../run/caps.js";
import type { PresetEntry, Settings } from "../../settings.js";

/** The model id that asks for the best model. */
export const AUTO = "auto";
/** Before a weight or the name of a preset: `auto:0.3`, `auto:support`. */
const WITH_PRESET = `${AUTO}:`;
/** By which clients that put a provider before every model name it. */
const OURSELVES = "sextant/";
/** Vendors without a model of that name, so that `openai/auto` can mean only: the best of theirs. OpenRouter has one. */
const VENDORS_WITHOUT_AUTO: ReadonlySet<string> = new Set([
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "xai",
]);

export type AutoSettings = Pick<Settings, "agentRules" | "autoCostWeight" | "presets">;

/** Whose weight applies to a request that names none. */
export interface Caller {
  readonly settings: AutoSettings;
  /** Header `x-sextant-cost-weight`. */
  readonly weightHeader: string | undefined;
  /** Of the API key. */
  readonly keyWeight: number | null;
  /** Of the key or token. */
  readonly caps: RequestCaps | undefined;
  /** What a coding agent sends of its session. */
  readonly session: string | undefined;
  readonly headers: FastifyRequest["headers"];
}

/**
 * Headers that name a session, the narrowest first, as seen on 2026-11-29: of Codex CLI 0.171 (`thread-id` is also a sub-agent's),
 * Claude Code 2.1.332, opencode 1.18.33 (`x-session-id`), Open WebUI (by its source); `session_id`, of earlier Codex, is a guess.
 */
const SESSION_HEADERS = [
  "thread-id",
  "x-claude-code-session-id",
  "x-session-id",
  "session-id",
  "session_id",
  "x-openwebui-chat-id",
] as const;
const MOST_SESSION_CHARACTERS = 256;

const WEIGHT_HEADER = "x-sextant-cost-weight";

/** What a coding agent sends of its session; undefined when it sends nothing. */
function sessionOf(headers: FastifyRequest["headers"]): string | undefined {
  for (const name of SESSION_HEADERS) {
    const value = headers[name];
    if (typeof value === "string" && value !== "" && value.length <= MOST_SESSION_CHARACTERS) return value;
  }
  return undefined;
}

export function callerOf({ headers, principal }: FastifyRequest, settings: AutoSettings): Caller {
  const header = headers[WEIGHT_HEADER];
  return {
    settings,
    weightHeader: typeof header === "string" ? header : undefined,
    keyWeight: principal?.costWeight ?? null,
    caps: principal?.caps,
    session: sessionOf(headers),
    headers,
  };
}

/** What a name such as `auto:0.3`, `auto:support` or `openai/auto` says. */
interface AutoName {
  readonly provider?: string;
  readonly costWeight?: number;
  readonly preset?: PresetEntry;
}

/**
 * What a model's name says of how to choose; undefined when it names a model.
 *
 * @throws SextantError `model_not_found` for a preset that does not exist, `invalid_request` for a weight that is none
 */
export function autoNamed(named: string, { presets }: Pick<AutoSettings, "presets">): AutoName | undefined {
  const model = withoutMark(named);
  const lower = model.toLowerCase();
  const name = lower.startsWith(OURSELVES) ? model.slice(OURSELVES.length) : model;
  if (name.toLowerCase() === AUTO) return {};
  const [provider = "", rest] = lower.split("/");
  if (rest === AUTO && VENDORS_WITHOUT_AUTO.has(provider)) return { provider };
  if (!name.toLowerCase().startsWith(WITH_PRESET)) return undefined;
  const asked = name.slice(WITH_PRESET.length);
  const weight = Number(asked);
  if (asked.trim() !== "" && !Number.isNaN(weight)) {
    if (weight >= 0) return { costWeight: weight };
    throw new SextantError("invalid_request", `\`model\` is "${model}", but a cost weight is at least 0.`, {
      param: "model",
    });
  }
  const preset = presets.find((each) => each.name.toLowerCase() === asked.toLowerCase());
  if (preset !== undefined) return { preset };
  const known = presets.map(({ name: each }) => `\`${WITH_PRESET}${each}\``).join(", ");
  throw new SextantError(
    "model_not_found",
    `There is no preset "${asked}". ${known === "" ? "The setting `presets` has none" : `There are ${known}`}; or give a cost weight: \`auto:0.3\`.`,
    { param: "model" },
  );
}

/**
 * The cost weight of `auto`: that of the body, else of the model's name, the header, the API key, the settings.
 *
 * @throws SextantError `invalid_request` for a header that is no weight, `not_allowed` for a weight below the caller's least
 */
export function requestedWeight(
  inBody: number | undefined,
  { costWeight, preset }: AutoName,
  { settings, weightHeader, keyWeight, caps }: Caller,
): number {
  const named = inBody ?? costWeight;
  const stated = named ?? (preset?.cost_weight === undefined ? headerWeight(weightHeader) : undefined);
  if (stated === undefined) return autoWeight(settings, { preset, keyWeight });
  const param = inBody !== undefined ? "router.cost_weight" : named !== undefined ? "model" : WEIGHT_HEADER;
  requireWeight(stated, { param, caps: capsOf(caps, preset) });
  return stated;
}

function headerWeight(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const weight = text.trim() === "" ? Number.NaN : Number(text);
  if (weight >= 0) return weight;
  throw new SextantError(
    "invalid_request",
    `The header \`${WEIGHT_HEADER}\` is "${text.slice(0, 40)}"; it must be a number of at least 0, such as 0.3.`,
    { param: WEIGHT_HEADER },
  );
}
