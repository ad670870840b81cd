import type { Decision, RouteRequest } from "../../engine/router/decision.js";
import type { Router } from "../../engine/router/router.js";
import { bootstrapEstimates, type Estimate } from "../../foundation/bootstrap.js";
import type { GradedPrompts } from "./graded-prompts.js";
import { type RewordingKind, rewordingsOf } from "./rewordings.js";

/** How far other wordings of the same prompts move decisions, at one cost weight. */
export interface Stability {
  /** Prompts that were reworded: all, or an even sample. */
  readonly prompts: number;
  readonly rewordings: number;
  /** Share of the rewordings whose choice is another than the prompt's. */
  readonly changed: Estimate;
  /** Share of the prompts with such a rewording. */
  readonly changedPrompts: number;
  /** By how they were made; `given` are those of the files. */
  readonly kinds: readonly {
    readonly kind: RewordingKind | "given";
    readonly rewordings: number;
    readonly changed: number;
  }[];
  /** What the prompt loses (below 0) or gains by the rewording's choice, mean over all rewordings: expected, and as it was graded. */
  readonly expectedQuality: number;
  readonly gradedQuality: number;
  /** Expected dollars of all rewordings' answers over those of as many answers to their prompts; null where a price is unknown. */
  readonly costRatio: number | null;
  /** How far the costs of single answers move: the typical factor between a rewording's expected dollars and its prompt's. */
  readonly costFactor: number | null;
}

export interface StabilityOptions {
  readonly costWeight: number;
  /** Columns that may be chosen. */
  readonly candidates?: readonly number[] | undefined;
  readonly seed: number;
  readonly signal?: AbortSignal | undefined;
}

/** More prompts narrow the interval little, and each takes six decisions. */
const MOST_PROMPTS = 500;
const PROMPTS_AT_ONCE = 16;

interface Reworded {
  readonly prompt: number;
  readonly kind: RewordingKind | "given";
  readonly changed: number;
  readonly expectedQuality: number;
  readonly gradedQuality: number;
  readonly ownUsd: number;
  readonly otherUsd: number;
}

/** Decides the prompts and other wordings of them, made here and given with them; null when nothing could be reworded. */
export async function measureStability(
  router: Pick<Router, "routeMany">,
  graded: GradedPrompts,
  { costWeight, candidates, seed, signal }: StabilityOptions,
): Promise<Stability | null> {
  const models = candidates?.map((column) => graded.models[column] as string) ?? [...graded.models];
  const requestOf = (content: string): RouteRequest => ({
    ...{ messages: [{ role: "user", content }], costWeight, models },
  });
  const stride = Math.max(1, graded.prompts.length / MOST_PROMPTS);
  const sample = Array.from({ length: Math.floor(graded.prompts.length / stride) }, (_, at) =>
    Math.floor(at * stride),
  );
  const found: Reworded[] = [];
  for (let start = 0; start < sample.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const asked = sample.slice(start, start + PROMPTS_AT_ONCE).map((prompt) => {
      const { text, rewordings = [] } = graded.prompts[prompt] as GradedPrompts["prompts"][number];
      const given = rewordings.map((wording) => ({ kind: "given" as const, text: wording }));
      return { prompt, text, wordings: [...rewordingsOf(text, { seed: seed + prompt }), ...given] };
    });
    const texts = asked.flatMap(({ text, wordings }) => [text, ...wordings.map((wording) => wording.text)]);
    const decisions = (await router.routeMany(texts.map(requestOf))).values();
    for (const { prompt, wordings } of asked) {
      const own = decisions.next().value as Decision;
      for (const { kind } of wordings)
        found.push(compared(own, decisions.next().value as Decision, { graded, prompt, kind }));
    }
  }
  return found.length === 0 ? null : summed(found, seed);
}

function compared(
  own: Decision,
  other: Decision,
  { graded, prompt, kind }: Pick<Reworded, "prompt" | "kind"> & { readonly graded: GradedPrompts },
): Reworded {
  const { models, quality } = graded;
  const expectedOf = (model: string): number =>
    own.candidates.find((candidate) => candidate.model === model)?.expectedQuality ?? Number.NaN;
  const gradedOf = (model: string): number =>
    quality[prompt * models.length + models.indexOf(model)] as number;
  const [before, after] = [own.selectedModel, other.selectedModel];
  return {
    ...{ prompt, kind, changed: before === after ? 0 : 1 },
    expectedQuality: expectedOf(after) - expectedOf(before),
    gradedQuality: gradedOf(after) - gradedOf(before),
    ownUsd: own.expectedCostUsd ?? Number.NaN,
    otherUsd: other.expectedCostUsd ?? Number.NaN,
  };
}

function summed(found: readonly Reworded[], seed: number): Stability {
  const prompts = [...new Set(found.map(({ prompt }) => prompt))];
  const counts = prompts.map((prompt) => {
    const own = found.filter((rewording) => rewording.prompt === prompt);
    return { all: own.length, changed: sumOf(own, ({ changed }) => changed) };
  });
  const { changed } = bootstrapEstimates(
    prompts.length,
    {
      changed: (weights) =>
        sumOf(counts, (count, at) => (weights[at] as number) * count.changed) /
        sumOf(counts, (count, at) => (weights[at] as number) * count.all),
    },
    { seed },
  );
  const kinds = [...new Set(found.map(({ kind }) => kind))].map((kind) => {
    const own = found.filter((rewording) => rewording.kind === kind);
    return { kind, rewordings: own.length, changed: meanOf(own, (rewording) => rewording.changed) };
  });
  return {
    ...{ prompts: prompts.length, rewordings: found.length, changed, kinds },
    changedPrompts: meanOf(counts, (count) => (count.changed > 0 ? 1 : 0)),
    expectedQuality: meanOf(found, ({ expectedQuality }) => expectedQuality),
    gradedQuality: meanOf(found, ({ gradedQuality }) => gradedQuality),
    costRatio: finite(sumOf(found, ({ otherUsd }) => otherUsd) / sumOf(found, ({ ownUsd }) => ownUsd)),
    costFactor: finite(
      Math.exp(meanOf(found, ({ otherUsd, ownUsd }) => Math.abs(Math.log(otherUsd / ownUsd)))),
    ),
  };
}

const sumOf = <Row>(rows: readonly Row[], read: (row: Row, at: number) => number): number =>
  rows.reduce((sum, row, at) => sum + read(row, at), 0);

const meanOf = <Row>(rows: readonly Row[], read: (row: Row) => number): number =>
  sumOf(rows, read) / rows.length;

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
