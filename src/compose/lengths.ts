/** Corrections of expected lengths, in this process or by the supervisor. */

import type { LengthCorrections } from "../engine/lengths/length-corrections.js";
import { LengthsFile } from "../engine/lengths/lengths-file.js";
import { SavedLengths } from "../engine/lengths/saved-lengths.js";
import type { Log } from "../foundation/log.js";
import { systemTimers } from "../foundation/timers.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { Settings } from "../gateway/settings/settings.js";

type LengthSettings = Pick<Settings, "lengthCorrection" | "dataDir">;

/** Length corrections, saved in the data folder; undefined when the settings switch them off. */
export async function savedLengths(
  { lengthCorrection, dataDir }: LengthSettings,
  log: Log,
): Promise<LengthCorrections | undefined> {
  if (lengthCorrection === "off") return undefined;
  return SavedLengths.open({ file: new LengthsFile(dataDir), timers: systemTimers, log });
}

/** The length corrections of this process, or those of the supervisor. */
export async function servedLengths(
  settings: LengthSettings,
  { supervisor, log }: { readonly supervisor: SupervisorConnection | undefined; readonly log: Log },
): Promise<LengthCorrections | undefined> {
  if (supervisor === undefined) return savedLengths(settings, log);
  return settings.lengthCorrection === "off" ? undefined : supervisor.lengths;
}
