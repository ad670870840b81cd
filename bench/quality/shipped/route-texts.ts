import type { RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";

const PROMPTS_AT_ONCE = 256;

export interface RouteTextsOptions {
  /** The set's models in the order of its columns. */
  readonly models: readonly string[];
  readonly costWeight: number;
  /** Columns that may be chosen; absent: all that are profiled. */
  readonly candidates?: readonly number[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Routed {
  /** Column of the selected model, `[texts]`. */
  readonly selected: Int16Array;
  /** Expected dollars of the selected model, `[texts]`; NaN when unknown. */
  readonly expectedUsd: Float64Array;
  /** Expected quality, `[texts × models]`; NaN for models that were no candidates. */
  readonly expected: Float32Array;
}

/** Routes texts as user messages by a router, in order. */
export async function routeTexts(
  router: Router,
  texts: readonly string[],
  options: RouteTextsOptions,
): Promise<Routed> {
  const { models, costWeight, candidates, signal } = options;
  const columns = new Map(models.map((model, column) => [model, column]));
  const named = candidates?.map((column) => models[column] as string);
  const selected = new Int16Array(texts.length).fill(-1);
  const expectedUsd = new Float64Array(texts.length).fill(Number.NaN);
  const expected = new Float32Array(texts.length * models.length).fill(Number.NaN);
  for (let start = 0; start < texts.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const requests = texts.slice(start, start + PROMPTS_AT_ONCE).map(
      (content): RouteRequest => ({
        messages: [{ role: "user", content }],
        costWeight,
        ...(named === undefined ? {} : { models: named }),
      }),
    );
    for (const [offset, decision] of (await router.routeMany(requests)).entries()) {
      selected[start + offset] = columns.get(decision.selectedModel) ?? -1;
      expectedUsd[start + offset] = decision.expectedCostUsd ?? Number.NaN;
      for (const { model, expectedQuality } of decision.candidates) {
        expected[(start + offset) * models.length + (columns.get(model) ?? 0)] = expectedQuality;
      }
    }
  }
  return { selected, expectedUsd, expected };
}
