/** Settings that operators change while servers run: kept for all instances, and taken over like those of the file. */
import { RedisUnavailableError, SettingsError, SextantError } from "../foundation/errors.js";
import { type ChangeableSettings, OperatorSettings } from "../gateway/features/settings/operator-settings.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import type { Stores } from "../gateway/storage/open-stores.js";
import { type Repeated, repeating } from "./access.js";
import type { ComposedConfiguration } from "./configuration.js";
import type { ComposedReloads } from "./reloads.js";

interface ComposedOperatorSettings {
  /** Follows other instances from then on. @returns what the API offers */
  follow(
    parts: Pick<ComposedConfiguration, "current"> & Pick<ComposedReloads, "reloadSettings">,
  ): ChangeableSettings;
  stop(): void;
}

/** Lays what operators set over the settings of the source. @throws SettingsError when these cannot be used together */
export async function openOperatorSettings(
  { shared }: Pick<Stores, "shared">,
  { source, everyMs, logger }: { readonly source: SettingsSource | undefined } & Omit<Repeated, "fault">,
): Promise<ComposedOperatorSettings> {
  const stored = new OperatorSettings(shared);
  await stored.refresh().catch((fault) => {
    if (!(fault instanceof RedisUnavailableError)) throw fault;
    logger.warn({ fault: String(fault) }, "settings of operators cannot be read yet");
  });
  source?.lay(stored.values);
  source?.restart();
  let timer: NodeJS.Timeout | undefined;
  return {
    follow({ current, reloadSettings }) {
      const take = async (): Promise<void> => {
        source?.lay(stored.values);
        await reloadSettings();
      };
      const look = async () => (await stored.refresh()) && take();
      timer = repeating(look, { everyMs, fault: "settings of operators not followed", logger });
      return {
        inUse: () => current().settings,
        sourceOf: (field) => source?.current.sourceOf(field) ?? "default",
        async change(patch) {
          if (source === undefined) throw new TypeError("This server's settings do not change.");
          source.read();
          await stored.change(patch, (values) => checked(() => source.check(values)));
          await take();
        },
      };
    },
    stop: () => clearInterval(timer),
  };
}

/** @throws SextantError `invalid_request` for its SettingsError */
function checked(check: () => void): void {
  try {
    check();
  } catch (fault) {
    if (!(fault instanceof SettingsError)) throw fault;
    throw new SextantError("invalid_request", fault.message, { cause: fault });
  }
}
