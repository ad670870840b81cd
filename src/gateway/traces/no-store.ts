import type { GiveFeedback } from "./feedback.js";
import type { TraceStore } from "./store.js";
import { StoreDownError } from "./store-down.js";
import type { TraceSink } from "./trace.js";

const off = (): StoreDownError =>
  new StoreDownError("Traces are switched off. Set SEXTANT_CH_ENABLED=true to keep and search them.");

/** Where finished requests go when traces are switched off: nowhere. */
export const noSink: TraceSink = { wantsContent: false, record() {} };

/** Feedback when traces are switched off: there is nothing to give it for. */
export const noFeedback: GiveFeedback = async () => {
  throw off();
};

/** The store when traces are switched off: it holds nothing, and every query fails with that message. */
export const noStore: TraceStore = {
  append: async () => {},
  appendMissing: async () => {},
  ask: async () => {
    throw off();
  },
  keepFeedback: async () => {
    throw off();
  },
  // biome-ignore lint/correctness/useYield: there is nothing to yield
  async *export() {
    throw off();
  },
  removeBefore: async () => 0,
  health: () => ({ ok: true, state: "off" }),
  close: async () => {},
};
