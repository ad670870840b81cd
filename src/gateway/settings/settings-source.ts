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
  SET_IN_CONSOLE,
  type SettingsOptions,
  type SourceOf,
  sourcesOf,
  unaddressedIn,
} from "./load-settings.js";

/** Settings that a running server takes over. All others count from the next start on. */
const RELOADABLE = [
  ...(["providers", "deployments", "prices", "fallbacks", "presets", "agentRules"] as const),
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
  /** What operators had set, in the shape of the settings file. */
  readonly laid: Laid;
  readonly sourceOf: SourceOf;
  /** Names of webhooks that operators set and that are left out: neither they nor the settings file have an address. */
  readonly unaddressed: readonly string[];
}

type Laid = NonNullable<SettingsOptions["laid"]>;

export interface ChangedSettings extends ReadSettings {
  /** Keys of the settings file that a running server takes over and that differ, and `environment` for variables. */
  readonly changed: readonly string[];
  /** Keys of the settings file that differ, and count from the next start on. */
  readonly atNextStart: readonly string[];
}

export class SettingsSource {
  readonly #environment: Environment;
  readonly #options: Pick<SettingsOptions, "workingDirectory">;
  #current: ReadSettings;

  /** @param environment without `.env` @throws SettingsError */
  constructor(environment: Environment, options: Pick<SettingsOptions, "workingDirectory">) {
    this.#environment = environment;
    this.#options = options;
    this.#current = this.#read({});
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
   * @param laid what operators have set; default: as in `current`
   * @throws SextantError `settings_rejected`, with file, setting, value and remedy
   */
  read(laid = this.#current.laid): ChangedSettings {
    return this.checked(() => {
      const next = this.#read(laid);
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

  /** Keys of the settings file, and `environment`, that reading again would find changed; undefined when it would fail. */
  edited(): readonly string[] | undefined {
    try {
      const { changed, atNextStart } = this.read();
      return [...changed, ...atNextStart];
    } catch {
      return undefined;
    }
  }

  /** Reads again as at the start, for a server that has used nothing yet. @throws SettingsError */
  restart(laid: Laid): void {
    this.#current = this.#read(laid);
  }

  /** Whether the settings could be used with that laid over them. @throws SettingsError */
  check(laid: Laid): Pick<ReadSettings, "unaddressed"> {
    return this.#read(laid);
  }

  /** A check of what was read, of a file. @throws SextantError `settings_rejected` for its SettingsError */
  checked<Result>(check: () => Result, path = this.path): Result {
    try {
      return check();
    } catch (fault) {
      if (!(fault instanceof SettingsError)) throw fault;
      const isNamed = [path, SET_IN_CONSOLE].some((where) => fault.message.includes(where));
      const named = isNamed ? fault.message : `${path}: ${fault.message}`;
      throw new SextantError("settings_rejected", `${named} The settings in use stay.`, { cause: fault });
    }
  }

  accept({ settings, environment, laid, sourceOf, unaddressed }: ReadSettings): void {
    this.#current = { settings, environment, laid, sourceOf, unaddressed };
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

  #read(laid: Laid): ReadSettings {
    const options = { ...this.#options, laid };
    return {
      settings: loadSettings(this.#environment, options),
      environment: readEnvironment(this.#environment, options),
      laid,
      sourceOf: sourcesOf(this.#environment, options),
      unaddressed: unaddressedIn(this.#environment, options),
    };
  }
}

/** Those that are no settings: keys and addresses of providers. */
const variablesOf = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("SEXTANT_")));
