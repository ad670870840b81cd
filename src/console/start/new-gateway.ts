import { TEST_SOURCE } from "../api/playground.js";
import type { TraceValues } from "../api/traces.js";
import { lazily } from "../components/lazily.js";

/** Whether there have been no requests but test prompts; false while it is not known. */
export const isNewGateway = (values: TraceValues | undefined): boolean =>
  values?.sources.every((source) => source === TEST_SOURCE) === true;

export const LazyStartCard = lazily(null, async () => (await import("./start-card.js")).StartCard);
