/** How models are told to think before they answer, from the catalog file: which settings there are, and which is meant by none. */
import { z } from "zod";
import { readCatalogFile } from "./catalog-file.js";
import { namePattern } from "./name-pattern.js";

const reasoningRuleSchema = z.strictObject({
  /** Catalog ids; `*` stands for any ending. The first rule that names a model holds. */
  models: z.array(z.string()).min(1).readonly(),
  /**
   * `effort`: levels by `reasoning_effort`. `adaptive`: Anthropic's thinking with an effort. `budget`: Anthropic's thinking
   * with a budget of tokens. `toggle`: on or off. `always`: it thinks, and nothing changes that.
   */
  control: z.enum(["effort", "adaptive", "budget", "toggle", "always"]),
  /** Weakest first; for `effort` and `adaptive`. */
  levels: z.array(z.string()).min(1).readonly().optional(),
  /** What a request that says nothing gets: a level, `none`, `thinking`, `auto` (the model decides), `always`. */
  default: z.string().optional(),
  source: z.url(),
});

type ReasoningRule = z.infer<typeof reasoningRuleSchema>;

interface CompiledRule {
  readonly rule: ReasoningRule;
  readonly patterns: readonly RegExp[];
}

let compiled: readonly CompiledRule[] | undefined;

function rules(): readonly CompiledRule[] {
  compiled ??= z
    .object({ reasoning: z.array(reasoningRuleSchema) })
    .parse(readCatalogFile("models.json"))
    .reasoning.map((rule) => ({ rule, patterns: rule.models.map(namePattern) }));
  return compiled;
}

/** Undefined for a model of which nothing is known, and for one that never thinks. */
function reasoningOf(id: string): ReasoningRule | undefined {
  const name = id.toLowerCase().replaceAll(".", "-");
  return rules().find(({ patterns }) => patterns.some((pattern) => pattern.test(name)))?.rule;
}

/**
 * The id of a model with an effort: the plain id where a request that says nothing gets just that, else `id:effort`, with
 * an effort that the model has. What a table calls an effort may not be one of the model's: `none` of a model that always
 * thinks is its lowest, `xhigh` of one that knows only on and off is on.
 *
 * @param effort `none`, `thinking`, or a level
 */
export function effortVariant(id: string, effort: string): string {
  const setting = settingOf(reasoningOf(id), effort);
  return setting === "" ? id : `${id}:${setting}`;
}

/** Empty: as by default. */
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

/** Thinking has the effort `high` unless another is asked for. */
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

const STRENGTHS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The level itself; of those that the model has not, the next weaker one it has, or its weakest. */
function nearestLevel(effort: string, levels: readonly string[]): string {
  const wanted = STRENGTHS.indexOf(effort);
  if (wanted < 0 || levels.includes(effort)) return effort;
  const weaker = levels.filter((level) => STRENGTHS.indexOf(level) < wanted);
  return weaker.at(-1) ?? levels[0] ?? effort;
}
