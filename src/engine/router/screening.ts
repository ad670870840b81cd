import { SextantError } from "../../foundation/errors.js";
import type { Exclusion, ExclusionReason, ModelFacts } from "./candidate.js";
import type { RouteRequest } from "./decision.js";
import type { LiveModels } from "./live-models.js";
import { estimatePromptTokens } from "./prompt-size.js";
import { exclusionBody } from "./routing-body.js";
import { hasImage } from "./routing-text.js";
import type { Snapshot } from "./snapshot.js";
import type { SnapshotModel } from "./snapshot-models.js";

/** The candidates of a request, and the excluded models with the reason. */
export interface Screening {
  readonly candidates: readonly SnapshotModel[];
  readonly excluded: readonly Exclusion[];
  readonly promptTokens: number;
  readonly maxTokens: number | undefined;
  readonly per: RouteRequest["per"];
}

/** Names that a message repeats, and characters of each: they come from the caller, who may send any number of any length. */
const NAMES_SHOWN = 10;
const NAME_CHARACTERS_SHOWN = 80;

/**
 * Determines the candidates. A choice among all models considers the available ones, each at all of its efforts that no other one
 * dominates, or at the effort that the request names; models that are retired, not served by anybody, or not
 * configured here are omitted without a reason, because they are most of a profile set. Of named models, each excluded
 * one has its reason.
 *
 * @throws SextantError `missing_profiles`, `insufficient_models`, `no_provider_available`
 */
export function screenCandidates(request: RouteRequest, snapshot: Snapshot, live: LiveModels): Screening {
  const asked =
    request.models === undefined
      ? { models: modelsToChooseFrom(request, live), excluded: [] }
      : namedLive(request.models, { snapshot, live, effort: request.effort });
  const canRun = request.canRun ?? always;
  const promptTokens = request.promptTokens ?? estimatePromptTokens(request.messages);
  const needs: Needs = {
    tokens: promptTokens + (request.maxTokens ?? 0),
    images: hasImage(request.messages),
    tools: request.needsTools === true,
    price: (request.costWeight ?? 0) > 0,
  };
  const candidates: SnapshotModel[] = [];
  const others: Exclusion[] = [];
  const barred: Exclusion[] = [];
  let runnable = 0;
  for (const profiled of asked.models) {
    if (!canRun(profiled.model)) {
      if (request.models !== undefined) others.push({ model: profiled.model, reason: "no_provider" });
      continue;
    }
    runnable++;
    if (request.isPaused?.(profiled.model)) {
      others.push({ model: profiled.model, reason: "paused" });
      continue;
    }
    if (request.caps?.isAllowed(profiled.model) === false) {
      barred.push({ model: profiled.model, reason: "not_allowed" });
      continue;
    }
    const facts = request.factsOf?.(profiled.model);
    const model = facts === undefined ? profiled : withFacts(profiled, facts);
    const reason = exclusionReason(model, needs);
    const param = reason === null ? request.cannotDo?.(model.model) : undefined;
    if (param !== undefined) others.push({ model: model.model, reason: "unsupported_parameter", param });
    else if (reason === null) candidates.push(model);
    else others.push({ model: model.model, reason });
  }
  // Of all models they may be nearly all.
  const shown = request.models === undefined && candidates.length > 0 ? others : [...barred, ...others];
  const excluded = shown.length === 0 ? asked.excluded : [...shown, ...asked.excluded];
  const least = request.models === undefined ? LEAST_CANDIDATES : 1;
  if (runnable < least && asked.models.length >= LEAST_CANDIDATES)
    throw tooFewCanRun(runnable, excluded, request);
  requireCandidates(candidates, { excluded, request });
  return { candidates, excluded, promptTokens, maxTokens: request.maxTokens, per: request.per };
}

/** @throws SextantError `insufficient_models` for fewer than two, or for none of those that caps leave */
export function requireCandidates(
  candidates: readonly SnapshotModel[],
  { excluded, request }: Omit<TooFew, "left">,
): void {
  if (candidates.length < (request.caps === undefined ? LEAST_CANDIDATES : 1))
    throw insufficientModels({ left: candidates.map(({ model }) => model), excluded, request });
}

/** A dominated effort is left out only where the one that dominates it can be asked for. */
function modelsToChooseFrom(
  { effort, canRun }: RouteRequest,
  { choosable, dominated, atEffort }: LiveModels,
): readonly SnapshotModel[] {
  if (effort !== undefined) return atEffort(effort);
  if (canRun === undefined) return choosable;
  const left = dominated.filter(({ by }) => !canRun(by));
  return left.length === 0 ? choosable : [...choosable, ...left.map(({ model }) => model)];
}

interface NamedOptions {
  readonly snapshot: Snapshot;
  readonly live: LiveModels;
  /** That the request names. */
  readonly effort: string | undefined;
}

function namedLive(
  names: readonly string[],
  { snapshot, live, effort }: NamedOptions,
): { readonly models: readonly SnapshotModel[]; readonly excluded: readonly Exclusion[] } {
  const models: SnapshotModel[] = [];
  const excluded: Exclusion[] = [];
  const missing: string[] = [];
  for (const name of distinctModels(names)) {
    const model = snapshot.find(name);
    if (model === undefined && !snapshot.isProfiled(name)) {
      missing.push(name);
      continue;
    }
    const exclusion = live.exclusionOf(name);
    if (exclusion !== undefined) excluded.push(exclusion);
    else if (model === undefined) excluded.push({ model: name, reason: "not_served" });
    else models.push(effort === undefined ? model : snapshot.atEffort(model, effort));
  }
  if (missing.length > 0) throw missingProfiles(missing, { names, snapshot });
  return { models, excluded };
}

interface Needs {
  readonly tokens: number;
  readonly images: boolean;
  readonly tools: boolean;
  readonly price: boolean;
}

const always = (): boolean => true;

function withFacts(model: SnapshotModel, facts: ModelFacts): SnapshotModel {
  // A cost that is known without a price was measured.
  const costKnown = facts.price !== null || (model.costKnown && model.facts.price === null);
  return { ...model, provider: facts.provider, facts, costKnown };
}

/** Unknown facts of a model do not exclude it, except a price that is needed for the score. */
function exclusionReason({ facts, costKnown }: SnapshotModel, needs: Needs): ExclusionReason | null {
  if (exceedsContext(facts, needs.tokens)) return "context_window";
  if (needs.images && facts.capabilities.images === false) return "images_unsupported";
  if (needs.tools && facts.capabilities.tools === false) return "tools_unsupported";
  if (needs.price && !costKnown) return "unknown_price";
  return null;
}

function exceedsContext(facts: ModelFacts, tokens: number): boolean {
  return facts.contextTokens !== null && tokens > facts.contextTokens;
}

/** The given names without duplicates. @throws SextantError `insufficient_models` when they are fewer than two */
export function distinctModels(names: readonly string[]): readonly string[] {
  const distinct = [...new Set(names)];
  if (distinct.length >= LEAST_CANDIDATES) return distinct;
  throw new SextantError(
    "insufficient_models",
    `\`models\` names ${distinct.length} model${distinct.length === 1 ? "" : "s"}, but a choice needs at least ` +
      `${LEAST_CANDIDATES}. Name more, or leave \`models\` out to choose among all live models with a profile.`,
    { param: "models", extra: { excluded: [] } },
  );
}

/** @param names in the given order, for the position */
const missingProfiles = (
  missing: readonly string[],
  { names, snapshot }: { readonly names: readonly string[]; readonly snapshot: Snapshot },
): SextantError =>
  new SextantError(
    "missing_profiles",
    `\`models\` names ${namesShown(missing)}, which no loaded profile covers. ` +
      "Choose profiled models (`available_profiles` over HTTP, `sextant models` on the command line), or build a profile for it.",
    {
      param: `models[${names.indexOf(missing[0] as string)}]`,
      extra: { missing_profiles: missing, available_profiles: snapshot.models.map(({ model }) => model) },
    },
  );

function namesShown(names: readonly string[]): string {
  const shown = names
    .slice(0, NAMES_SHOWN)
    .map((name) => JSON.stringify(name.slice(0, NAME_CHARACTERS_SHOWN)));
  const more = names.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function tooFewCanRun(
  runnable: number,
  excluded: readonly Exclusion[],
  { whatCanRun }: RouteRequest,
): SextantError {
  const served = runnable === 0 ? "any of the candidates" : "more than one of the candidates";
  return new SextantError(
    "no_provider_available",
    `No configured provider serves ${served}. ${whatCanRun?.() ?? "Set a provider's key, such as OPENAI_API_KEY."} ` +
      "`execute: false` returns the decision alone while no provider is configured.",
    { extra: { excluded: excluded.map(exclusionBody) } },
  );
}

/** A decision needs at least this many candidates. */
export const LEAST_CANDIDATES = 2;

interface TooFew {
  /** The candidates that are left, fewer than two. */
  readonly left: readonly string[];
  readonly excluded: readonly Exclusion[];
  readonly request: Pick<RouteRequest, "howToRun" | "maxLatency" | "caps">;
}

/** The error of a choice with fewer than two candidates: the reasons, and for each of them what to change. */
function insufficientModels({ left, excluded, request }: TooFew): SextantError {
  const rest = left[0] === undefined ? "no candidate is left" : `only ${left[0]} is left`;
  const reasons = [...new Set(excluded.map(({ reason }) => reason))];
  const isTimed = reasons.some((reason) => reason === "too_slow" || reason === "unknown_latency");
  const isCapped = reasons.some((reason) => reason === "not_allowed" || reason === "too_expensive");
  const limit =
    (isTimed ? ` at \`max_latency_ms\` ${request.maxLatency?.ms}` : "") +
    (isCapped ? ` by ${request.caps?.said}` : "");
  const remedies = reasons.map((reason) => {
    const models = excluded.filter((exclusion) => exclusion.reason === reason).map(({ model }) => model);
    return reason === "no_provider" && request.howToRun ? request.howToRun(models) : REMEDIES[reason];
  });
  return new SextantError(
    "insufficient_models",
    `Routing needs ${request.caps === undefined ? `at least ${LEAST_CANDIDATES} candidates` : "a candidate"}, but ${rest}` +
      (excluded.length === 0
        ? "."
        : ` after leaving out ${excluded.length} (${reasons.join(", ")})${limit}.`) +
      ` ${remedies.length === 0 ? NOTHING_EXCLUDED : [...new Set(remedies)].join(" ")}`,
    { param: "models", extra: { excluded: excluded.map(exclusionBody) } },
  );
}

const NOTHING_EXCLUDED = "Load profiles of more models that are still served.";

const STILL_SERVED = "Name models that are still served: `sextant models --live` lists them.";

/** What to change in the request, or in the configuration, when a reason left too few candidates. */
const REMEDIES: Readonly<Record<ExclusionReason, string>> = {
  context_window: "Shorten the prompt, lower `max_tokens`, or name models with a larger context window.",
  images_unsupported: "Leave the images out, or name models that read images.",
  tools_unsupported: "Leave `tools` out, or name models that can call tools.",
  unsupported_parameter:
    "Leave out the fields that `excluded` names as `param`, or name models that support them.",
  unknown_price: "Set `cost_weight` to 0, or give the prices of these models in the settings (`prices`).",
  too_slow:
    "Raise `max_latency_ms` or lower its `confidence`, shorten the answer with `max_tokens`, or name faster models.",
  unknown_latency:
    "Leave `max_latency_ms` out, or learn the times of these models from graded answers of your traffic: " +
    "`sextant profile from-traces --since 30d --outcomes traffic --update profiles/default --out profiles/learned`, " +
    "then set SEXTANT_PROFILES=profiles/learned. Sets built from outcomes with `latency_ms` or `ttft_ms` know them too.",
  not_allowed: "Name models that may be used.",
  too_expensive: "Shorten the prompt, lower `max_tokens`, or name cheaper models.",
  no_provider: "Name models that a configured provider serves.",
  paused: "Name models that are not paused, or ask an operator to end a pause (`sextant pauses list`).",
  retired: STILL_SERVED,
  not_served: STILL_SERVED,
};
