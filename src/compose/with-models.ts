import { systemClock, waitingTimers } from "../foundation/timers.js";
import { loadSettings, readEnvironment } from "../gateway/settings/load-settings.js";
import type { CollectDependencies } from "../workbench/collect.js";
import { openModels } from "./open-models.js";
import type { WorkbenchSettings } from "./workbench.js";

/** Opens the models of the settings for asking. @param use gets them with the system's time and chance; they are closed afterwards */
export async function withModels<Result>(
  {
    workingDirectory = process.cwd(),
    environment = process.env,
    openRouter,
    now = Date.now,
  }: WorkbenchSettings,
  use: (asking: CollectDependencies) => Promise<Result>,
): Promise<Result> {
  const settings = loadSettings(environment, { workingDirectory });
  const variables = readEnvironment(environment, { workingDirectory });
  const caller = openModels(settings, { environment: variables, openRouter });
  try {
    return await use({ caller, clock: systemClock, timers: waitingTimers, now, random: Math.random });
  } finally {
    await caller.close();
  }
}
