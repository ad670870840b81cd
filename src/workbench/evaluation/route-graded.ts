import type { RouteRequest } from "../../engine/router/decision.js";
import type { Router } from "../../engine/router/router.js";
import type { GradedPrompts } from "./graded-prompts.js";

const PROMPTS_AT_ONCE = 64;

export interface RouteGradedOptions {
  readonly costWeight: number;
  /** Columns that may be chosen. Default: all. */
  readonly candidates?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of prompts just decided. */
  readonly onDecided?: ((count: number) => void) | undefined;
}

export interface RoutedPrompts {
  /** Column of the selected model, `[prompts]`. */
  readonly selected: Int16Array;
  /** Expected quality, `[prompts × models]`; NaN for models that were no candidates. */
  readonly expected: Float64Array;
  /** To the nearest profiled prompt, `[prompts]`. */
  readonly nearestSimilarity: Float64Array;
  readonly outOfDistribution: Uint8Array;
}

/** Decides for every prompt among its graded models. @throws SextantError as `Router.route` */
export async function routeGraded(
  router: Pick<Router, "routeMany">,
  { prompts, models }: Pick<GradedPrompts, "prompts" | "models">,
  { costWeight, candidates, signal, onDecided }: RouteGradedOptions,
): Promise<RoutedPrompts> {
  const columns = new Map(models.map((model, column) => [model, column]));
  const named = candidates?.map((column) => models[column] as string) ?? [...models];
  const routed: RoutedPrompts = {
    selected: new Int16Array(prompts.length).fill(-1),
    expected: new Float64Array(prompts.length * models.length).fill(Number.NaN),
    nearestSimilarity: new Float64Array(prompts.length),
    outOfDistribution: new Uint8Array(prompts.length),
  };
  for (let start = 0; start < prompts.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const requests = prompts.slice(start, start + PROMPTS_AT_ONCE).map(
      ({ text }): RouteRequest => ({
        messages: [{ role: "user", content: text }],
        costWeight,
        models: named,
      }),
    );
    for (const [offset, decision] of (await router.routeMany(requests)).entries()) {
      const prompt = start + offset;
      routed.selected[prompt] = columns.get(decision.selectedModel) ?? -1;
      routed.nearestSimilarity[prompt] = decision.nearestSimilarity;
      routed.outOfDistribution[prompt] = decision.outOfDistribution ? 1 : 0;
      for (const { model, expectedQuality } of decision.candidates) {
        const column = columns.get(model);
        if (column !== undefined) routed.expected[prompt * models.length + column] = expectedQuality;
      }
    }
    onDecided?.(requests.length);
  }
  return routed;
}
