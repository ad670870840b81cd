/** What the caps of a key, token or preset leave of one request. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { knownModel, ratesAt } from "../../engine/index.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import { SextantError } from "../../foundation/errors.js";
import { capsIn, type RequestCaps } from "../access/request-caps.js";
import { LEAST_BUDGET } from "../providers/anthropic/thinking.js";
import type { JsonObject } from "../providers/chat.js";
import type { NativeRequest } from "../providers/provider.js";
import { LAST_RESORT } from "./deployment-order.js";
import type { ModelCatalog } from "./model-catalog.js";
import { type PlannedModel, planOf } from "./planned-models.js";
import type { RequestSize } from "./request-size.js";

/** The caps of a principal and a preset together. */
export interface Caps {
  /** Most US dollars of the request with all its calls; infinite without such a cap. */
  readonly maxUsd: number;
  /** Lists of globs, one of each of which has to match. */
  readonly allowed: readonly (readonly string[])[];
  readonly minCostWeight: number;
}

export function capsOf(
  principal: RequestCaps | undefined,
  preset: RequestCaps | undefined,
): Caps | undefined {
  const ofPreset = preset && capsIn(preset);
  if (principal === undefined && ofPreset === undefined) return undefined;
  const given = [principal, ofPreset].filter((one) => one !== undefined);
  return {
    maxUsd: Math.min(...given.map(({ max_usd_per_request: usd }) => usd ?? Number.POSITIVE_INFINITY)),
    allowed: given.flatMap(({ allowed_models: models }) => (models ? [models] : [])),
    minCostWeight: Math.max(...given.map(({ min_cost_weight: weight }) => weight ?? 0)),
  };
}

/** Whether a deployment may answer, by its model's name, with or without the effort or variant behind a colon. */
export function isAllowed(
  { provider, model }: Pick<Deployment, "provider" | "model">,
  { allowed }: Pick<Caps, "allowed">,
): boolean {
  const names = [model, model.replace(/:[^:/]*$/, "")].flatMap((name) => [name, `${provider}/${name}`]);
  return allowed.every((globs) => globs.some((glob) => names.some((name) => matches(name, glob))));
}

/** Whether a name is what a glob says, whose `*` is any text. In time proportional to both: callers choose names. */
function matches(name: string, glob: string): boolean {
  const [start = "", ...parts] = glob.toLowerCase().split("*");
  const end = parts.pop();
  const text = name.toLowerCase();
  if (end === undefined) return text === start;
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false;
  let from = start.length;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - end.length;
}

/** Shorter answers are not worth their prompts, and OpenAI's Responses take no lower limit. */
const LEAST_TOKENS = 16;

/** Tokens of each answer without which a request is not sent. */
const leastTokens = ({ answerTokens, answers = 1 }: RequestSize): number =>
  Math.min(LEAST_TOKENS, answerTokens / answers);

/** Tokens of each answer that dollars leave beside the prompt, without a service tier; fewer than 0 where no price is known. */
function affordableTokens({ provider, price }: Deployment, size: RequestSize, usd: number): number {
  if (provider === LAST_RESORT || usd === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (price === null) return -1;
  const { promptTokens, answers = 1 } = size;
  const { inputUsdPerMtok, cacheWriteUsdPerMtok, outputUsdPerMtok } = ratesAt(price, promptTokens);
  const left = usd * 1e6 - promptTokens * Math.max(inputUsdPerMtok, cacheWriteUsdPerMtok ?? 0);
  return left < 0 ? -1 : Math.floor(left / (outputUsdPerMtok * answers || Number.MIN_VALUE));
}

/** Whether dollars pay for the prompt and a short answer at a deployment. */
export const isAffordable = (deployment: Deployment, size: RequestSize, usd: number): boolean =>
  affordableTokens(deployment, size, usd) >= leastTokens(size);

/** The limit of each answer that keeps a call within dollars; undefined where no answer of the model can cost more. */
export function outputLimit(deployment: Deployment, size: RequestSize, usd: number): number | undefined {
  const tokens = affordableTokens(deployment, size, usd);
  const { max_output: longest = Number.POSITIVE_INFINITY } = knownModel(deployment.model).entry ?? {};
  return tokens >= Math.min(longest, deployment.contextTokens ?? Number.MAX_VALUE)
    ? undefined
    : Math.max(1, tokens);
}

export interface CapOptions {
  readonly caps: Caps;
  readonly size: RequestSize;
  /** The model and the fallbacks of the request, none of which is passed over silently. */
  readonly named: readonly string[];
}

/**
 * The plan without deployments that may not answer, or would cost too much even with a short answer.
 *
 * @returns at least one model
 * @throws SextantError `not_allowed` for a model that the request names, and when nothing is left
 */
export function cappedPlan(
  plan: readonly PlannedModel[],
  { caps, size, named }: CapOptions,
): readonly PlannedModel[] {
  const faultOf = (one: Deployment): string | undefined => {
    if (!isAllowed(one, caps))
      return `is not among \`allowed_models\` ${OF}: ${listed(caps)}. Name one of these, or "auto", which chooses among them`;
    return isAffordable(one, size, caps.maxUsd) ? undefined : tooExpensive(one, size, caps);
  };
  const kept = planOf(plan, (one) => faultOf(one) === undefined);
  const refused = plan.find(
    ({ name }) =>
      (kept.length === 0 || named.includes(name)) && kept.every((planned) => planned.name !== name),
  );
  if (refused === undefined) return kept;
  const { name, deployments } = refused;
  const param = named.indexOf(name) > 0 ? `fallbacks[${named.indexOf(name) - 1}]` : "model";
  const fault = deployments.map(faultOf).at(-1);
  throw new SextantError("not_allowed", `\`${param}\` ${JSON.stringify(name.slice(0, 80))} ${fault}.`, {
    param,
  });
}

const OF = "of the key, token or preset";
const listed = ({ allowed }: Caps): string => allowed.map((globs) => globs.join(", ")).join("; and of ");

function tooExpensive({ price }: Deployment, size: RequestSize, { maxUsd }: Caps): string {
  const cap = `\`max_usd_per_request\` ${OF}, ${maxUsd}`;
  return price === null
    ? `has no known price, so it cannot be kept to ${cap}. Name another, or give its price in the settings (\`prices\`)`
    : `costs more than ${cap}, for a prompt of about ${size.promptTokens} tokens and ${leastTokens(size)} of an answer. ` +
        'Shorten the prompt, or name a cheaper model or "auto"';
}

interface RouteCapSources {
  readonly catalog: Pick<ModelCatalog, "deployments">;
  readonly size: RequestSize;
}

/** What the router may choose from. */
export function routeCaps(
  caps: Caps,
  { catalog, size: { answers = 1 } }: RouteCapSources,
): Pick<RouteRequest, "caps"> {
  const { maxUsd, allowed } = caps;
  const isEnabled = ({ enabled }: Deployment) => enabled;
  const said = [
    ...(allowed.length === 0 ? [] : [`\`allowed_models\` ${listed(caps)}`]),
    ...(maxUsd === Number.POSITIVE_INFINITY ? [] : [`\`max_usd_per_request\` ${maxUsd}`]),
  ];
  return {
    caps: {
      isAllowed(model) {
        const deployments = catalog.deployments(model);
        const usable = deployments.some(isEnabled) ? deployments.filter(isEnabled) : deployments;
        return allowed.length === 0 || usable.some((one) => isAllowed(one, caps));
      },
      maxCostUsd: maxUsd / answers,
      said: `${said.join(" and ")} ${OF}`,
    },
  };
}

/**
 * Refuses a cost weight that a request states below the least; one that nobody stated is raised to it.
 *
 * @param param the field, or the header, that states it
 * @throws SextantError `not_allowed`
 */
export function requireWeight(
  weight: number | undefined,
  { param, caps }: { readonly param: string; readonly caps: Caps | undefined },
): void {
  const { minCostWeight = 0 } = caps ?? {};
  if (weight === undefined || weight >= minCostWeight) return;
  throw new SextantError(
    "not_allowed",
    `\`${param}\` asks for a cost weight of ${weight}, below \`min_cost_weight\` ${OF}, ${minCostWeight}. Send at least that, or leave it out.`,
    { param },
  );
}

/** The body with at most so many tokens of output, also where it does not say how many; itself when it keeps to that. */
export function withOutputCap<Body extends JsonObject>(
  body: Body,
  most: number | undefined,
  api: NativeRequest["api"] | "chat",
): Body {
  if (most === undefined) return body;
  const names = OUTPUT_FIELDS[api].filter((name) => typeof body[name] === "number");
  if (names.length > 0 && names.every((name) => Number(body[name]) <= most)) return body;
  const fields = names.length > 0 ? names : OUTPUT_FIELDS[api].slice(0, 1);
  return {
    ...body,
    ...Object.fromEntries(fields.map((name) => [name, most])),
    ...smallerThinking(body, most),
  };
}

const OUTPUT_FIELDS = {
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  messages: ["max_tokens"],
} as const;

/** A budget has to be below the limit. */
function smallerThinking({ thinking }: JsonObject, most: number): JsonObject {
  if (typeof thinking !== "object" || thinking === null || !("budget_tokens" in thinking)) return {};
  if (Number(thinking.budget_tokens) < most) return {};
  const budget = Math.floor(most / 2);
  if (budget < LEAST_BUDGET) return { thinking: { type: "disabled" } };
  return { thinking: { ...thinking, budget_tokens: budget } };
}
