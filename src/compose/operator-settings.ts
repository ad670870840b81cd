/** Settings that operators change while servers run: kept for all instances, and taken over like those of the file. */
import { isDeepStrictEqual } from "node:util";
import { RedisUnavailableError, SettingsError, SextantError } from "../foundation/errors.js";
import { merged } from "../foundation/merge-patch.js";
import { valueAt } from "../foundation/value-path.js";
import {
  type ChangeableSettings,
  OperatorSettings,
  type OperatorValues,
} from "../gateway/features/settings/operator-settings.js";
import {
  isGiven,
  OPERATOR_FIELDS,
  type OperatorField,
  type SettingsPatch,
} from "../gateway/features/settings/schema.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import type { Stores } from "../gateway/storage/open-stores.js";
import { type Repeated, repeating } from "./access.js";
import { type ComposedConfiguration, unaddressedNotes } from "./configuration.js";
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
      const warn = (faults: Faults): void => {
        for (const note of notesOf(faults)) logger.warn(note);
      };
      let looking: Promise<void> | undefined;
      const look = async (): Promise<void> => {
        await stored.refresh();
        let seen = stored.version;
        if (isDeepStrictEqual(source?.current.laid, stored.values)) {
          version = seen;
          return;
        }
        const next = async () => {
          seen = stored.version;
          return usable(stored.values, source).used;
        };
        try {
          const { used, faults } = usable(stored.values, source);
          if (seen !== version) warn(faults);
          if (source !== undefined && !isDeepStrictEqual(source.current.laid, used)) await takeOver({ next });
        } finally {
          version = seen;
        }
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
        sourceOf(field) {
          if (source === undefined) return "default";
          return isGiven(stored.values, field) ? "console" : source.current.sourceOf(field);
        },
        version: () => version,
        async change(patch, look) {
          if (source === undefined) throw new TypeError("This server's settings do not change.");
          let before = look();
          await takeOver({
            async next() {
              const { used, faults } = usableWith(patch, await stored.patched(patch), source);
              warn(faults);
              return used;
            },
            async keep() {
              before = look();
              await stored.change(patch, (values) => usableWith(patch, values, source));
              version = stored.version;
            },
          });
          return { before, after: look() };
        },
      };
    },
    stop: () => clearInterval(timer),
  };
}

/** Leaves each field to the source that cannot be used with it. @returns a note of each */
function startWith(values: OperatorValues, source: SettingsSource): string[] {
  const { used, faults } = usable(values, source);
  source.restart(used);
  return [...notesOf(faults), ...unaddressedNotes(source.current.unaddressed)];
}

type Faults = ReadonlyMap<OperatorField, SettingsError>;

interface Usable {
  readonly used: OperatorValues;
  readonly faults: Faults;
}

const notesOf = (faults: Faults): string[] =>
  [...faults].map(
    ([field, { message }]) =>
      `\`${field}\` is used as in the settings file, not as set in the console: ${message}`,
  );

/**
 * What can be used with the source, and what is wrong with the other fields.
 *
 * @throws SextantError `settings_rejected` when the fault is the source's
 */
function usable(values: OperatorValues, source: SettingsSource | undefined): Usable {
  const faults = new Map<OperatorField, SettingsError>();
  if (source === undefined || faultOf(values, source) === undefined) return { used: values, faults };
  source.checked(() => source.check({}));
  let used: OperatorValues = {};
  for (const field of OPERATOR_FIELDS) {
    const steps = field.split(".");
    const value = valueAt(values, steps);
    if (value === undefined) continue;
    const more = merged(
      used,
      steps.reduceRight((inner, step) => ({ [step]: inner }), value),
    ) as OperatorValues;
    const fault = faultOf(more, source);
    if (fault === undefined) used = more;
    else faults.set(field, fault);
  }
  return { used, faults };
}

function faultOf(values: OperatorValues, source: SettingsSource): SettingsError | undefined {
  try {
    source.check(values);
    return undefined;
  } catch (fault) {
    if (fault instanceof SettingsError) return fault;
    throw fault;
  }
}

/** @throws SextantError `invalid_request` for a field of the patch, and as `usable` */
function usableWith(patch: SettingsPatch, values: OperatorValues, source: SettingsSource): Usable {
  const { used, faults } = usable(values, source);
  const [, fault] = [...faults].find(([field]) => isGiven(patch, field)) ?? [];
  if (fault !== undefined) throw new SextantError("invalid_request", fault.message, { cause: fault });
  const [name] = isGiven(patch, "alerts.webhooks") ? source.check(used).unaddressed : [];
  if (name === undefined) return { used, faults };
  throw new SextantError(
    "invalid_request",
    `The webhook "${name}" has no address: it needs either \`url\` or \`url_env\`.`,
  );
}
