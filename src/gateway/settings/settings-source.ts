/** The settings of a server that runs, read again when its file or `.env` has changed. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { SettingsError, SextantError } from "../../foundation/errors.js";
import { FileChanges, fileState } from "../../foundation/file-changes.js";
import { fileKeyOf, SETTING_NAMES, type Settings } from "../settings.js";
import {
  loadSettings,
  readEnvironment,
  type SettingsOptions,
  type SourceOf,
  sourcesOf,
} from "./load-settings.js";

/** Settings that a running server takes over. All others count from the next start on. */
const RELOADABLE = [
  ...(["providers", "deployments", "prices", "fallbacks", "presets"] as const),
  ...(["budgets", "alerts", "autoCostWeight", "baselineModel", "comparisons"] as const),
] as const;

/** Of settings that were read again, those that a running server takes over. */
export const reloadableOf = (settings: Settings): Pick<Settings, (typeof RELOADABLE)[number]> =>
  Object.fromEntries(RELOADABLE.map((name) => [name, settings[name]])) as Pick<
    Settings,
    (typeof RELOADABLE)[number]
  >;

type Environment = Readonly<Record<string, string | undefined>>;

/** What was read at one time. */
export interface ReadSettings {
  readonly settings: Settings;
  /** `.env` read into it: where the keys of providers are. */
  readonly environment: Environment;
  readonly sourceOf: SourceOf;
}

export interface ChangedSettings extends ReadSettings {
  /** Keys of the settings file that a running server takes over and that differ, and `environment` for variables. */
  readonly changed: readonly string[];
  /** Keys of the settings file that differ, and count from the next start on. */
  readonly atNextStart: readonly string[];
}

export class SettingsSource {
  readonly #environment: Environment;
  #options: SettingsOptions;
  #current: ReadSettings;

  /** @param environment without `.env` @throws SettingsError */
  constructor(environment: Environment, options: SettingsOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#current = this.#read();
  }

  /** What was read first, or accepted last. */
  get current(): ReadSettings {
    return this.#current;
  }

  /** The settings file, whether or not there is one. */
  get path(): string {
    const { SEXTANT_CONFIG: named = "" } = this.#current.environment;
    return resolve(this.#options.workingDirectory, named === "" ? "sextant.config.json" : named);
  }

  /**
   * Reads again, and says what differs from `current`, which stays until `accept`.
   *
   * @throws SextantError `settings_rejected`, with file, setting, value and remedy
   */
  read(): ChangedSettings {
    return this.checked(() => {
      const next = this.#read();
      const { settings, environment } = this.#current;
      const differing = SETTING_NAMES.filter(
        (name) => !isDeepStrictEqual(settings[name as keyof Settings], next.settings[name as keyof Settings]),
      );
      const isReloadable = (name: string) => RELOADABLE.some((one) => one === name);
      const changed = differing.filter(isReloadable).map(fileKeyOf);
      const isSame = isDeepStrictEqual(variablesOf(environment), variablesOf(next.environment));
      return {
        ...next,
        changed: isSame ? changed : [...changed, "environment"],
        atNextStart: differing.filter((name) => !isReloadable(name)).map(fileKeyOf),
      };
    });
  }

  /** Whether reading again would find anything changed, or fail. */
  differs(): boolean {
    try {
      const { changed, atNextStart } = this.read();
      return changed.length + atNextStart.length > 0;
    } catch {
      return true;
    }
  }

  /** What operators set, over the file: it counts from the next `read` on. */
  lay(laid: NonNullable<SettingsOptions["laid"]>): void {
    this.#options = { ...this.#options, laid };
  }

  /** Reads again as at the start, for a server that has used nothing yet. @throws SettingsError */
  restart(): void {
    this.#current = this.#read();
  }

  /** Whether the settings could be used with that laid over them. @throws SettingsError */
  check(laid: NonNullable<SettingsOptions["laid"]>): void {
    loadSettings(this.#environment, { ...this.#options, laid });
  }

  /** A check of what was read, of a file. @throws SextantError `settings_rejected` for its SettingsError */
  checked<Result>(check: () => Result, path = this.path): Result {
    try {
      return check();
    } catch (fault) {
      if (!(fault instanceof SettingsError)) throw fault;
      const named = fault.message.includes(path) ? fault.message : `${path}: ${fault.message}`;
      throw new SextantError("settings_rejected", `${named} The settings in use stay.`, { cause: fault });
    }
  }

  accept({ settings, environment, sourceOf }: ReadSettings): void {
    this.#current = { settings, environment, sourceOf };
  }

  /** Notices when the settings file or `.env` changes. */
  changes(): FileChanges {
    const paths = [this.path, join(this.#options.workingDirectory, ".env")];
    return new FileChanges(async () => {
      const states = paths.map(async (path) => (existsSync(path) ? await fileState(path) : `${path} -`));
      return Promise.all(states).then(
        (all) => all.join("\n"),
        () => undefined,
      );
    });
  }

  #read(): ReadSettings {
    const environment = readEnvironment(this.#environment, this.#options);
    const sourceOf = sourcesOf(this.#environment, this.#options);
    return { settings: loadSettings(this.#environment, this.#options), environment, sourceOf };
  }
}

/** Those that are no settings: keys and addresses of providers. */
const variablesOf = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("SEXTANT_")));
