/** Settings that operators change while servers run: kept for all instances, and taken over like those of the file. */
import { isDeepStrictEqual } from "node:util";
import { RedisUnavailableError, SettingsError, SextantError } from "../foundation/errors.js";
import {
  type ChangeableSettings,
  OperatorSettings,
  type OperatorValues,
} from "../gateway/features/settings/operator-settings.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import type { Stores } from "../gateway/storage/open-stores.js";
import { type Repeated, repeating } from "./access.js";
import type { ComposedConfiguration } from "./configuration.js";
import type { ComposedReloads } from "./reloads.js";

interface ComposedOperatorSettings {
  /** Of each setting that cannot be used as operators set it. */
  readonly notes: readonly string[];
  /** Follows other instances from then on. @returns what the API offers */
  follow(
    parts: Pick<ComposedConfiguration, "current"> & Pick<ComposedReloads, "takeOver">,
  ): ChangeableSettings;
  stop(): void;
}

/**
 * Lays what operators set over the settings of the source, as far as the two can be used together.
 *
 * @throws SettingsError when those of the source cannot be used
 */
export async function openOperatorSettings(
  { shared }: Pick<Stores, "shared">,
  { source, everyMs, logger }: { readonly source: SettingsSource | undefined } & Omit<Repeated, "fault">,
): Promise<ComposedOperatorSettings> {
  const stored = new OperatorSettings(shared);
  await stored.refresh().catch((fault) => {
    if (!(fault instanceof RedisUnavailableError)) throw fault;
    logger.warn({ fault: String(fault) }, "settings of operators cannot be read yet");
  });
  const notes = source === undefined ? [] : startWith(stored.values, source);
  let { version } = stored;
  let timer: NodeJS.Timeout | undefined;
  return {
    notes,
    follow({ current, takeOver }) {
      const isTaken = () => isDeepStrictEqual(source?.current.laid, stored.values);
      let looking: Promise<void> | undefined;
      const look = async (): Promise<void> => {
        await stored.refresh();
        if (source !== undefined && !isTaken()) await takeOver({ next: async () => stored.values });
      };
      const task = () => {
        looking ??= look().finally(() => {
          looking = undefined;
        });
        return looking;
      };
      timer = repeating(task, { everyMs, fault: "settings of operators not followed", logger });
      return {
        inUse: () => current().settings,
        sourceOf: (field) => source?.current.sourceOf(field) ?? "default",
        version() {
          if (isTaken()) version = stored.version;
          return version;
        },
        async change(patch, look) {
          if (source === undefined) throw new TypeError("This server's settings do not change.");
          let before = look();
          await takeOver({
            async next() {
              const values = await stored.patched(patch);
              check(values, source);
              return values;
            },
            async keep() {
              before = look();
              await stored.change(patch, (values) => check(values, source));
            },
          });
          return { before, after: look() };
        },
      };
    },
    stop: () => clearInterval(timer),
  };
}

/** Leaves each setting to the source that cannot be used with it. @returns a note of each */
function startWith(values: OperatorValues, source: SettingsSource): string[] {
  const notes: string[] = [];
  let used: OperatorValues = {};
  for (const [key, value] of Object.entries(values)) {
    const more = { ...used, [key]: value };
    try {
      source.check(more);
      used = more;
    } catch (fault) {
      if (!(fault instanceof SettingsError)) throw fault;
      notes.push(`\`${key}\` is used as in the settings file, not as set in the console: ${fault.message}`);
    }
  }
  source.restart(used);
  return notes;
}

/** @throws SextantError `settings_rejected` when the fault is the source's, else `invalid_request` */
function check(values: OperatorValues, source: SettingsSource): void {
  try {
    source.check(values);
  } catch (fault) {
    if (!(fault instanceof SettingsError)) throw fault;
    source.checked(() => source.check({}));
    throw new SextantError("invalid_request", fault.message, { cause: fault });
  }
}
