import { SextantError } from "../errors.js";
import type { TraceQueries } from "./parts.js";

const refuse = (): Promise<never> =>
  Promise.reject(
    new SextantError(
      "store_down",
      "Traces are switched off. Set SEXTANT_CH_ENABLED=true to keep and search them. Inference goes on.",
    ),
  );

/** The traces of a server that keeps none. */
export const tracesOff: TraceQueries = { list: refuse, find: refuse, stats: refuse };
