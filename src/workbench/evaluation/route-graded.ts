import type { RouteRequest } from "../../engine/router/decision.js";
import type { PreparedRequest } from "../../engine/router/prepared-request.js";
import type { Router } from "../../engine/router/router.js";
import type { GradedPrompts } from "./graded-prompts.js";

const PROMPTS_AT_ONCE = 64;

interface PrepareOptions {
  /** Columns that may be chosen above cost weight 0, where some may. */
  readonly weighed: readonly number[];
  /** What expected costs are of: see `RouteRequest.per`. */
  readonly per?: RouteRequest["per"];
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of prompts that are prepared. */
  readonly onPrepared?: ((done: number) => void) | undefined;
}

export interface RoutedPrompts {
  /** Column of the selected model, `[prompts]`. */
  readonly selected: Int16Array;
  /** Expected quality, `[prompts × models]`; NaN for models that were no candidates. */
  readonly expected: Float64Array;
  /** Its standard error, likewise. */
  readonly stderr: Float64Array;
  /** Expected dollars and tokens of the answers, hidden reasoning included, likewise; NaN also for an unknown price. */
  readonly expectedUsd: Float64Array;
  readonly expectedTokens: Float64Array;
  /** To the nearest profiled prompt, `[prompts]`. */
  readonly nearestSimilarity: Float64Array;
  readonly outOfDistribution: Uint8Array;
}

type Graded = Pick<GradedPrompts, "prompts" | "models">;

/** What was decided at cost weight 0, and the requests. */
export interface PreparedPrompts {
  readonly routed: RoutedPrompts;
  /** To be decided above cost weight 0, `[prompts]`; empty where nothing may be chosen there. */
  readonly requests: readonly PreparedRequest[];
}

/**
 * Embeds every prompt once, and decides among all models at cost weight 0.
 *
 * @throws SextantError as `Router.route`
 */
export async function routeGraded(
  router: Pick<Router, "prepareMany">,
  { prompts, models }: Graded,
  options: PrepareOptions,
): Promise<PreparedPrompts> {
  const columns = columnsOf(models);
  const table = () => new Float64Array(prompts.length * models.length).fill(Number.NaN);
  const routed: RoutedPrompts = {
    selected: new Int16Array(prompts.length).fill(-1),
    expected: table(),
    stderr: table(),
    expectedUsd: table(),
    expectedTokens: table(),
    nearestSimilarity: new Float64Array(prompts.length),
    outOfDistribution: new Uint8Array(prompts.length),
  };
  const requests: PreparedRequest[] = [];
  let prompt = 0;
  for await (const { all, weighed } of prepareGraded(router, { prompts, models }, options)) {
    const decision = all.decideAt(0);
    routed.selected[prompt] = columns.get(decision.selectedModel) ?? -1;
    routed.nearestSimilarity[prompt] = decision.nearestSimilarity;
    routed.outOfDistribution[prompt] = decision.outOfDistribution ? 1 : 0;
    for (const {
      model,
      expectedQuality,
      qualityStderr,
      expectedCostUsd,
      answerTokens,
    } of decision.candidates) {
      const column = columns.get(model);
      if (column === undefined) continue;
      const cell = prompt * models.length + column;
      routed.expected[cell] = expectedQuality;
      routed.stderr[cell] = qualityStderr;
      routed.expectedUsd[cell] = expectedCostUsd ?? Number.NaN;
      routed.expectedTokens[cell] = answerTokens.expected;
    }
    prompt += 1;
    if (weighed === undefined) continue;
    // Estimated on both sides: what was found is not kept.
    weighed.decideAt(0);
    weighed.decideAt(1);
    requests.push(weighed);
  }
  return { routed, requests };
}

/** The column of the selected model of each prompt at a cost weight, `[prompts]`. */
export function decideAlong(
  requests: readonly PreparedRequest[],
  { models }: Pick<Graded, "models">,
  signal: AbortSignal | undefined,
): (costWeight: number) => Int16Array {
  const columns = columnsOf(models);
  return (costWeight) => {
    signal?.throwIfAborted();
    return Int16Array.from(
      requests,
      (request) => columns.get(request.decideAt(costWeight).selectedModel) ?? -1,
    );
  };
}

const columnsOf = (models: readonly string[]): ReadonlyMap<string, number> =>
  new Map(models.map((model, column) => [model, column]));

async function* prepareGraded(
  router: Pick<Router, "prepareMany">,
  { prompts, models }: Graded,
  { weighed, per, signal, onPrepared }: PrepareOptions,
): AsyncGenerator<{ readonly all: PreparedRequest; readonly weighed: PreparedRequest | undefined }> {
  const some = weighed.map((column) => models[column] as string);
  // The router embeds a text once, however many requests have it.
  const named = some.length === 0 || some.length === models.length ? [models] : [models, some];
  for (let start = 0; start < prompts.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const texts = prompts.slice(start, start + PROMPTS_AT_ONCE).map(({ text }) => text);
    const prepared = await router.prepareMany(
      texts.flatMap((text) =>
        named.map((of) => ({
          messages: [{ role: "user", content: text }],
          models: [...of],
          per,
        })),
      ),
    );
    for (let at = 0; at < prepared.length; at += named.length) {
      const last = prepared[at + named.length - 1];
      yield { all: prepared[at] as PreparedRequest, weighed: some.length === 0 ? undefined : last };
    }
    onPrepared?.(start + texts.length);
  }
}
