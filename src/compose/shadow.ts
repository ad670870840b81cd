/** A second profile set that decides beside the one in use, for traces alone. */
import type { Logger } from "pino";
import { ProfileSetError } from "../engine/profiles/load.js";
import type { Router } from "../engine/router/router.js";
import { systemTimers, yieldThread } from "../foundation/timers.js";
import { QueuedShadowDecisions, type ShadowDecisions } from "../gateway/inference/shadow-decisions.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { OpenedRouter } from "./open-router.js";

export interface ComposedShadow {
  /** Undefined when the settings name no shadow set. */
  readonly decisions: ShadowDecisions | undefined;
  /** Null when the settings name no shadow set. */
  readonly router: Router | null;
  readonly notes: readonly string[];
  /** Loads the shadow sets again. Those in use stay when they cannot be used, which the notes then say. @returns notes */
  reload(): Promise<readonly string[]>;
}

/** @throws ProfileSetError */
export async function composeShadow(
  { shadowProfiles }: Pick<Settings, "shadowProfiles">,
  { openBeside, log }: Pick<OpenedRouter, "openBeside"> & { readonly log: Logger },
): Promise<ComposedShadow> {
  if (shadowProfiles === undefined)
    return { decisions: undefined, router: null, notes: [], reload: async () => [] };
  const { router, reloadProfiles } = await openBeside(shadowProfiles);
  const decisions = new QueuedShadowDecisions({
    router,
    ready: router.calibrate(),
    timers: systemTimers,
    yieldThread,
  });
  return {
    decisions,
    router,
    notes: [`Shadow decisions are made by ${router.profileVersion}.`],
    async reload() {
      try {
        const { version } = await reloadProfiles();
        return [`Shadow decisions are made by ${version}.`];
      } catch (fault) {
        if (!(fault instanceof ProfileSetError)) throw fault;
        log.error({ reason: fault.message }, "the shadow profile sets cannot be loaded again");
        return [`The shadow profile sets in use stay: ${fault.message}`];
      }
    },
  };
}
