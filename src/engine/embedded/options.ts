import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";
import { SettingsError } from "../../foundation/errors.js";
import { invalidRequest } from "../../foundation/issue-text.js";
import { deploymentsSchema, pricesSchema, providersSchema } from "../catalog/entries.js";
import type { RouterSettings } from "../open-router.js";
import { SHIPPED_PROFILES } from "../shipped.js";

/** What `openRouter` takes: settings of the gateway under the same names. */
export interface OpenRouterOptions {
  /** Folder of an embedder, or its Hugging Face hub id; default the shipped one. */
  readonly embedder?: string | undefined;
  /** Profile sets, or folders of profile sets; default the shipped one. */
  readonly profiles?: readonly string[] | undefined;
  /** Providers beyond the public ones, with the models they serve and what they bill. */
  readonly providers?: RouterSettings["providers"] | undefined;
  /** Names of your own for models at a provider. */
  readonly deployments?: RouterSettings["deployments"] | undefined;
  /** Prices by model that replace the public ones. */
  readonly prices?: RouterSettings["prices"] | undefined;
  /** Folder for an embedder that is downloaded; default `data`. */
  readonly dataDir?: string | undefined;
}

const text = (error: string) => z.string({ error }).min(1, { error }).optional();

const options = closedObject(
  {
    embedder: text("it must be a hub id such as `sentence-transformers/all-MiniLM-L6-v2`, or a folder"),
    profiles: z.array(z.string().min(1), { error: "it must be a list of folders" }).optional(),
    providers: providersSchema.optional(),
    deployments: deploymentsSchema.optional(),
    prices: pricesSchema.optional(),
    dataDir: text("it must be a folder"),
  },
  "it must be an object, such as `{ profiles: [folder] }`",
);

/** @throws SettingsError on another option, or one that cannot be used, with the remedy */
export function routerSettings(given: OpenRouterOptions): RouterSettings {
  if (typeof given !== "object" || given === null) {
    throw new SettingsError("The options of openRouter must be an object, such as `{ profiles: [folder] }`.");
  }
  const checked = options.safeParse(given);
  if (!checked.success) {
    const { message } = invalidRequest(checked.error, given);
    throw new SettingsError(`The options of openRouter cannot be used: ${message}`);
  }
  const { embedder, profiles, providers, deployments, prices, dataDir } = checked.data;
  return {
    embedder,
    profiles: profiles ?? [SHIPPED_PROFILES],
    providers: providers ?? [],
    deployments: deployments ?? [],
    prices: prices ?? {},
    dataDir: dataDir ?? "data",
  };
}
