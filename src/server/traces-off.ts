import { SextantError } from "../errors.js";
import type { TraceQueries } from "./parts.js";

const switchedOff = (): SextantError =>
  new SextantError(
    "store_down",
    "Traces are switched off. Set SEXTANT_CH_ENABLED=true to keep and search them. Inference goes on.",
  );

const refuse = (): Promise<never> => Promise.reject(switchedOff());

/** The traces of a server that keeps none. */
export const tracesOff: TraceQueries = {
  list: refuse,
  find: refuse,
  stats: refuse,
  export: () => {
    throw switchedOff();
  },
};
