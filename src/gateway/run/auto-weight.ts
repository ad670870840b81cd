import type { PresetEntry, Settings } from "../settings.js";

interface WeightSources {
  readonly preset?: PresetEntry | undefined;
  /** Of the caller's API key. */
  readonly keyWeight?: number | null | undefined;
}

/** The cost weight of `auto` where a request states none: the preset's, else the API key's, else the setting's. */
export const autoWeight = (
  { autoCostWeight }: Pick<Settings, "autoCostWeight">,
  { preset, keyWeight }: WeightSources = {},
): number => preset?.cost_weight ?? keyWeight ?? autoCostWeight;
