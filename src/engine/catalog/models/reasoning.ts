/** Reasoning settings of models, from the catalog file, with their defaults. */
import { ofCatalog, type ReasoningRule, type Variant } from "../catalog-file.js";
import { namePattern, spelling } from "./models.js";

const compiled = ofCatalog(({ reasoning }) => ({
  rules: reasoning.map((rule) => ({ rule, patterns: rule.models.map(namePattern) })),
  /** The last one that was asked for: the efforts of a model are asked for one after the other. */
  last: { id: "", rule: undefined as ReasoningRule | undefined },
}));

/** Undefined for an unknown model, and for one that never thinks. */
export function reasoningOf(id: string): ReasoningRule | undefined {
  const known = compiled();
  if (known.last.id === id) return known.last.rule;
  const name = spelling(id);
  const rule = known.rules.find(({ patterns }) => patterns.some((pattern) => pattern.test(name)))?.rule;
  known.last = { id, rule };
  return rule;
}

/**
 * The id of a model with an effort: the plain id for the default effort, else `id:effort` with an effort that the model
 * supports. Efforts of a table are mapped to those of the model: `none` of a model that always thinks to its lowest,
 * `xhigh` of one with only on and off to on.
 *
 * @param effort `none`, `thinking`, or a level
 */
export function effortVariant(id: string, effort: string): string {
  const setting = settingOf(reasoningOf(id), effort);
  return setting === "" ? id : `${id}:${setting}`;
}

/** The part of the id after the colon; empty for the default effort. */
function settingOf(rule: ReasoningRule | undefined, effort: string): string {
  if (rule === undefined) return effort === "none" ? "" : effort;
  const { control, default: byDefault = "none", levels = [] } = rule;
  if (control === "always") return "";
  if (control === "toggle" || control === "budget") {
    const asked = effort === "none" ? "none" : "thinking";
    return asked === byDefault ? "" : asked;
  }
  return control === "adaptive"
    ? adaptiveSetting(effort, { byDefault, levels })
    : levelSetting(effort, { byDefault, levels });
}

interface Levels {
  readonly byDefault: string;
  readonly levels: readonly string[];
}

/** Thinking has the effort `high` unless another is requested. */
function adaptiveSetting(effort: string, { byDefault, levels }: Levels): string {
  if (effort === "none") return byDefault === "thinking" ? "none" : "";
  const thinking = byDefault === "none" ? "thinking" : "";
  return effort === "thinking" || effort === "high" ? thinking : nearestLevel(effort, levels);
}

function levelSetting(effort: string, { byDefault, levels }: Levels): string {
  if (effort === "thinking") return byDefault === "none" || byDefault === "minimal" ? "medium" : "";
  const level = nearestLevel(effort, levels);
  return level === byDefault ? "" : level;
}

/** Whether a word after the colon of `model:word` can be an effort. */
export const isEffort = (word: string): boolean => word === "thinking" || EFFORT_LEVELS.includes(word);

/** Words for efforts, least first. */
export const EFFORT_LEVELS: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The level, if the model has it; else the next lower one that it has, or its lowest. */
function nearestLevel(effort: string, levels: readonly string[]): string {
  const wanted = EFFORT_LEVELS.indexOf(effort);
  if (wanted < 0 || levels.includes(effort)) return effort;
  const weaker = levels.filter((level) => EFFORT_LEVELS.indexOf(level) < wanted);
  return weaker.at(-1) ?? levels[0] ?? effort;
}

/** How the effort of `model:effort` is requested; undefined for an id without one, and where that is impossible. */
export function variantOf(
  id: string,
): { readonly base: string; readonly variant: Variant | undefined } | undefined {
  const colon = id.lastIndexOf(":");
  const [base, effort] = [id.slice(0, Math.max(colon, 0)), id.slice(colon + 1)];
  const rule = colon <= 0 || !isEffort(effort) ? undefined : reasoningOf(base);
  return rule === undefined ? undefined : { base, variant: variantFor(rule, effort) };
}

/** Token budget for thinking in APIs that require one: about what OpenAI's effort `high` uses (guess). */
const THINKING_TOKENS = 16_384;

function variantFor({ control, levels = [] }: ReasoningRule, effort: string): Variant | undefined {
  if (control === "always") return undefined;
  if (control === "budget") return effort === "thinking" ? { thinking_tokens: THINKING_TOKENS } : undefined;
  if (effort === "thinking") return { thinking: "on" };
  if (effort === "none" && !levels.includes("none")) return { thinking: "off" };
  return { effort };
}

/** Efforts that a client may ask for, and how a model is asked for each; empty where no request changes how it reasons. */
export function effortRequests(id: string): ReadonlyMap<string, Variant> {
  const rule = reasoningOf(id);
  if (rule === undefined || rule.control === "always") return new Map();
  return new Map(EFFORT_LEVELS.map((effort) => [effort, effortRequest(rule, effort)]));
}

function effortRequest({ control, levels = [] }: ReasoningRule, effort: string): Variant {
  if (control === "toggle") return { thinking: effort === "none" ? "off" : "on" };
  if (control === "effort") return { effort: nearestLevel(effort, levels) };
  // Anthropic's: every effort has a level or a budget, and none is thinking switched off.
  return effort === "none" ? { thinking: "off" } : { effort: nearestLevel(effort, levels) };
}

/** Efforts that a model supports besides the default one, as in ids; lowest first. */
export function effortsOf(id: string): readonly string[] {
  const rule = reasoningOf(id);
  if (rule === undefined || rule.control === "always") return [];
  const words = rule.levels ?? [];
  const asked = rule.control === "effort" ? words : ["none", ...words, "thinking"];
  const settings = asked.map((effort) => settingOf(rule, effort)).filter((setting) => setting !== "");
  return [...new Set(settings)].sort((left, right) => levelOf(left) - levelOf(right));
}

const levelOf = (setting: string): number =>
  setting === "thinking" ? EFFORT_LEVELS.indexOf("high") : EFFORT_LEVELS.indexOf(setting);
