import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import type { ModelLookup } from "../../../src/engine/router/candidate.js";
import type { Router } from "../../../src/engine/router/router.js";
import { buildRouter } from "../../evidence/build-router.js";
import type { OutcomeRows } from "../outcomes/outcome-rows.js";

export interface ShippedOptions {
  readonly name: string;
  readonly embedder: Embedder;
  readonly seed: number;
  /** Prices decisions reckon with, by original model name. */
  readonly lookup: ModelLookup;
  readonly signal?: AbortSignal | undefined;
}

/** Opens the shipped router: profile set built by the real builder from training rows, loaded and served by the real router. */
export function openShipped(training: OutcomeRows, options: ShippedOptions): Promise<Router> {
  const { name, embedder, lookup, seed, signal } = options;
  const { prompts, models, quality, tokensIn, tokensOut, costUsd } = training;
  const known = (value = Number.NaN): number | null => (Number.isNaN(value) ? null : value);
  const cells = [...quality].map((score, cell) => ({
    ...{
      prompt: Math.floor(cell / models.length),
      model: models[cell % models.length] as string,
      score,
      samples: 1,
    },
    ...{ tokensIn: known(tokensIn[cell]), tokensOut: known(tokensOut[cell]), costUsd: known(costUsd[cell]) },
  }));
  const set = { name, sha256: "", prompts, cells };
  return buildRouter([set], { embedder, lookup, seed, signal, tuning: "full" });
}
