import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { resolveProviders } from "../../src/engine/catalog/deployments/provider-entries.js";
import { openRouterFromSettings } from "../../src/engine/open-router.js";
import type { ModelLookup } from "../../src/engine/router/candidate.js";
import type { Decision } from "../../src/engine/router/decision.js";
import type { Router } from "../../src/engine/router/router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { EVERYDAY_PROMPTS, type EverydayPrompt } from "./prompts.js";

/** Providers whose keys are set. */
export interface KeyGroup {
  readonly id: string;
  readonly label: string;
  readonly variables: readonly string[];
  /** The only candidates; all models of the keys when absent. */
  readonly models?: readonly string[];
}

const THREE_MAKERS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"];

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    ...{ id: "three_makers", label: "OpenAI, Anthropic and Google together" },
    variables: THREE_MAKERS,
  },
  {
    ...{ id: "nine_models", label: "Nine named models of these three", variables: THREE_MAKERS },
    models: [
      ...["gpt-6.1-sol", "gpt-6.1-terra", "gpt-5.6-luna"],
      ...["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"],
      ...["gemini-4-argon", "gemini-3.8-flash", "gemini-3.5-flash-lite"],
    ],
  },
  { id: "openai", label: "OpenAI alone", variables: ["OPENAI_API_KEY"] },
  { id: "anthropic", label: "Anthropic alone", variables: ["ANTHROPIC_API_KEY"] },
  { id: "google", label: "Google alone", variables: ["GEMINI_API_KEY"] },
  { id: "together", label: "Open models on one host: Together", variables: ["TOGETHER_API_KEY"] },
];

export const COST_WEIGHTS = [0, 0.2, 0.5, 0.8] as const;

export interface Routing {
  readonly prompt: EverydayPrompt;
  /** By cost weight, in their order. */
  readonly decisions: readonly Decision[];
}

/** The decisions of one group of keys for all prompts; none when it has too few models. */
export interface GroupRouting {
  readonly group: KeyGroup;
  readonly routings: readonly Routing[];
  /** Dollars per million tokens, three of input to one of output; NaN when unknown. */
  readonly listPriceOf: (model: string) => number;
  /** Why nothing could be decided. */
  readonly fault: string | undefined;
}

/** The day whose models and prices are used. */
export const DAY = new Date("2026-11-28");

/** The router of a server that has the group's keys on that day. Close it. */
export async function openGroup({ variables }: KeyGroup): Promise<{
  readonly router: Router;
  readonly canRun: (model: string) => boolean;
  readonly lookup: ModelLookup;
}> {
  const environment = Object.fromEntries(variables.map((name) => [name, "not-a-key"]));
  const settings = loadSettings(environment, { workingDirectory: process.cwd() });
  const catalog = createCatalog(settings, { at: DAY, providers: resolveProviders(settings, environment) });
  const { router } = await openRouterFromSettings(settings, { catalog });
  return { router, canRun: catalog.isRunnable, lookup: catalog.lookup };
}

/**
 * Routes everyday prompts among the models that are available with the group's keys, without calling any; the keys are placeholders.
 */
export async function routeGroup(group: KeyGroup): Promise<GroupRouting> {
  const { router, canRun, lookup } = await openGroup(group);
  const listPriceOf = (model: string): number => {
    const { inputUsdPerMtok = Number.NaN, outputUsdPerMtok = Number.NaN } = lookup(model).price ?? {};
    return (3 * inputUsdPerMtok + outputUsdPerMtok) / 4;
  };
  const { models } = group;
  try {
    const routings: Routing[] = [];
    for (const prompt of EVERYDAY_PROMPTS) {
      const decisions = await router.routeMany(
        COST_WEIGHTS.map((costWeight) => ({
          messages: [{ role: "user", content: prompt.text }],
          ...{ costWeight, needsTools: prompt.needsTools },
          ...(models === undefined ? {} : { models }),
          canRun,
        })),
      );
      routings.push({ prompt, decisions });
    }
    return { group, routings, listPriceOf, fault: undefined };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { group, routings: [], listPriceOf, fault: error.message };
  } finally {
    await router.close();
  }
}
