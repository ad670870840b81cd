/** Answers compared blind: by the settings in use, on the inference of this process. */

import { randomBytes } from "node:crypto";
import type { Catalog } from "../engine/catalog/catalog.js";
import { knownModel } from "../engine/catalog/deployments/model-names.js";
import { SettingsError, SextantError } from "../foundation/errors.js";
import type { Log } from "../foundation/log.js";
import { createRequestIdGenerator } from "../foundation/request-id.js";
import { systemClock, yieldThread } from "../foundation/timers.js";
import type { ServerDependencies } from "../gateway/dependencies.js";
import { autoNamed } from "../gateway/features/chat/auto-choice.js";
import { Comparisons } from "../gateway/features/comparisons/comparisons.js";
import { ComparisonJournal } from "../gateway/features/comparisons/journal.js";
import { autoWeight } from "../gateway/run/auto-weight.js";
import type { Inference } from "../gateway/run/inference.js";
import type { NamedChoice, RoutedChoice } from "../gateway/run/request.js";
import type { Settings } from "../gateway/settings.js";
import type { Store } from "../gateway/storage/store.js";
import type { Traces } from "../gateway/traces/open-traces.js";
import { openWorkerRedactor } from "../gateway/traces/redaction/worker-redactor.js";

export type ComparisonSettings = Pick<Settings, "comparisons" | "presets" | "autoCostWeight">;

interface ComparisonParts {
  readonly store: Store;
  /** The configuration in use. */
  readonly current: () => { readonly settings: ComparisonSettings };
  readonly inference: Pick<Inference, "run" | "decide">;
  readonly catalog: Pick<Catalog, "deployments">;
  readonly traces: Pick<Traces, "sink" | "store" | "giveFeedback">;
  readonly log: Log;
}

export interface ComposedComparisons
  extends Readonly<Pick<ServerDependencies["comparisons"], "entries" | "results" | "state">> {
  readonly observer: Comparisons;
  close(): Promise<void>;
}

export function composeComparisons(
  { traceRedact }: Pick<Settings, "traceRedact">,
  { store, current, inference, catalog, traces, log }: ComparisonParts,
): ComposedComparisons {
  const journal = new ComparisonJournal(store);
  // A thread of its own, begun with the first comparison: traces do not wait for it.
  let redactor: ReturnType<typeof openWorkerRedactor> | undefined;
  const redactText = (text: string): Promise<string | null> => {
    redactor ??= openWorkerRedactor(traceRedact);
    return redactor.redactText(text);
  };
  const observer = new Comparisons({
    entries: () => current().settings.comparisons,
    inference,
    journal,
    log,
    yieldThread,
    choiceOf: (model) => comparedChoice(model, { ...current(), catalog }),
    vendorOf: (model) => vendorOf(model, catalog),
    redact: async (texts) => (traceRedact.length === 0 ? texts : Promise.all(texts.map(redactText))),
    keepOutcome: (requestId, score, comparison) =>
      keepOutcome({ requestId, score, comparison }, { traces, log }),
    wantsContent: traces.sink.wantsContent,
    newRequestId: createRequestIdGenerator({ now: Date.now, randomBytes }),
    now: Date.now,
    clock: systemClock,
    random: Math.random,
  });
  return {
    observer,
    entries: () => current().settings.comparisons,
    results: () => journal.results(),
    state: (name) => observer.state(name),
    async close() {
      await observer.stop();
      await redactor?.close();
    },
  };
}

interface ChoiceSources {
  readonly settings: Pick<ComparisonSettings, "presets" | "autoCostWeight">;
  readonly catalog: Pick<Catalog, "deployments">;
}

/** @throws SextantError for a name that is no model, preset or weight */
function comparedChoice(model: string, { settings, catalog }: ChoiceSources): NamedChoice | RoutedChoice {
  const auto = autoNamed(model, settings);
  if (auto === undefined) {
    // As answers name it, so that one of the same model is recognised.
    const [deployment] = catalog.deployments(model);
    return { type: "named", model: deployment?.model ?? model, provider: undefined };
  }
  const { preset, provider, costWeight = autoWeight(settings, { preset }) } = auto;
  return {
    type: "routed",
    models: preset?.models,
    costWeight,
    provider,
    conversation: { sticky: false },
    ...(preset !== undefined && { preset: preset.name }),
  };
}

/** The maker of a model by the catalog, else its provider. */
const vendorOf = (model: string, catalog: Pick<Catalog, "deployments">): string =>
  knownModel(model).entry?.maker ?? catalog.deployments(model)[0]?.provider ?? model;

/** Where the client has said nothing itself. */
async function keepOutcome(
  { requestId, score, comparison }: Record<"requestId" | "comparison", string> & { readonly score: number },
  { traces, log }: Pick<ComparisonParts, "traces" | "log">,
): Promise<void> {
  const options = { scope: "all" } as const;
  try {
    const trace = await traces.store.ask("find", requestId, options);
    if (trace?.feedback !== undefined) return;
    await traces.giveFeedback(requestId, { score, comment: `comparison ${comparison}` }, options);
  } catch (fault) {
    log.warn({ comparison, fault: String(fault) }, "the outcome of a comparison could not be kept");
  }
}

/** @throws SettingsError for names that no provider and no preset has, and models without a price, whose cost no budget limits */
export function checkComparisons(
  { comparisons, ...settings }: ComparisonSettings,
  catalog: Pick<Catalog, "deployments">,
): void {
  for (const { name, with: other, judges = [] } of comparisons) {
    const named = [...(isAuto(other, { name, settings }) ? [] : [other]), ...judges];
    const unknown = named.find((model) => !catalog.deployments(model).some(({ price }) => price !== null));
    if (unknown === undefined) continue;
    throw new SettingsError(
      `\`comparisons\` has ${JSON.stringify(unknown)} in ${JSON.stringify(name)}, for which no price is known. ` +
        "Name a model with a price of GET /v1/models, or give its price in `prices`.",
    );
  }
}

function isAuto(
  other: string,
  { name, settings }: Pick<ChoiceSources, "settings"> & { readonly name: string },
): boolean {
  try {
    return autoNamed(other, settings) !== undefined;
  } catch (fault) {
    if (!(fault instanceof SextantError)) throw fault;
    const message = `\`with\` of the comparison ${JSON.stringify(name)} is ${JSON.stringify(other)}: ${fault.message}`;
    throw new SettingsError(message, { cause: fault });
  }
}
