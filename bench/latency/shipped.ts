import { openRouter } from "../../src/engine/embedded/index.js";
import { USUAL_TOKENS } from "./cases.js";
import type { Dependencies } from "./dependencies.js";
import type { TimedCase } from "./interleave.js";

/** Whose models are most decisions among. */
const VENDORS = ["openai", "anthropic", "google"];
const COST_WEIGHT = 0.3;

/** Whole decisions of the embedded router on the shipped set: among all its models, and among those of three vendors. */
export async function shippedCases({ prompts }: Dependencies): Promise<TimedCase[]> {
  const router = await openRouter();
  const texts = prompts.get(USUAL_TOKENS) ?? [];
  const { candidates } = await router.route(texts[0] ?? "", { costWeight: COST_WEIGHT });
  const ofVendors = candidates.filter(({ provider }) => VENDORS.includes(provider ?? ""));
  const among = [
    { id: "all", models: candidates, options: {} },
    { id: "vendors", models: ofVendors, options: { models: ofVendors.map(({ model }) => model) } },
  ];
  return among.map(({ id, models, options }) => ({
    id: `latency/shipped/t${USUAL_TOKENS}/${id}`,
    label: `whole decision, ${USUAL_TOKENS} tokens, shipped set, ${models.length} candidates`,
    run: (execution) =>
      router.route(texts[execution % texts.length] ?? "", { ...options, costWeight: COST_WEIGHT }),
  }));
}
