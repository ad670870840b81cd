import type { SettingsBody, SettingsPatch } from "../../gateway/features/settings/schema.js";
import { call } from "./call.js";

export type { SettingsBody as OperatorSettings, SettingsPatch };

/** Budgets, alerts and the default cost weight as they are used now. */
export const fetchSettings = (signal?: AbortSignal): Promise<SettingsBody> =>
  call("/admin/settings", { signal });

/** Changes what is given on all instances; null resets a field to the settings file's. */
export const changeSettings = (body: SettingsPatch): Promise<SettingsBody> =>
  call("/admin/settings", { method: "PATCH", body });
