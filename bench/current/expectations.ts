import type { RouteRequest } from "../../src/engine/router/decision.js";
import type { Router } from "../../src/engine/router/router.js";

const PROMPTS_AT_ONCE = 64;

/** Expected quality of some models on some prompts. NaN where a model is unknown. */
export interface Expectations {
  readonly models: readonly string[];
  /** Expected quality and its standard error, `[prompts × models]`. */
  readonly quality: Float32Array;
  readonly stderr: Float32Array;
}

export interface ExpectOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onPrompts?: (done: number, total: number) => void;
}

/** Every profiled model's expectation on every text, through the router's own decisions. */
export async function expectationsOf(
  router: Router,
  texts: readonly string[],
  { signal, onPrompts }: ExpectOptions = {},
): Promise<Expectations> {
  const models = router.profiles().map(({ model }) => model);
  const columnOf = new Map(models.map((model, column) => [model, column]));
  const quality = new Float32Array(texts.length * models.length).fill(Number.NaN);
  const stderr = new Float32Array(quality.length).fill(Number.NaN);
  for (let start = 0; start < texts.length; start += PROMPTS_AT_ONCE) {
    signal?.throwIfAborted();
    const requests = texts
      .slice(start, start + PROMPTS_AT_ONCE)
      .map((content): RouteRequest => ({ messages: [{ role: "user", content }], costWeight: 0 }));
    for (const [offset, { candidates }] of (await router.routeMany(requests)).entries()) {
      for (const { model, expectedQuality, qualityStderr } of candidates) {
        const cell = (start + offset) * models.length + (columnOf.get(model) ?? 0);
        quality[cell] = expectedQuality;
        stderr[cell] = qualityStderr;
      }
    }
    onPrompts?.(Math.min(texts.length, start + PROMPTS_AT_ONCE), texts.length);
  }
  return { models, quality, stderr };
}
