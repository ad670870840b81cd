import { createHash } from "node:crypto";
import { SextantError, StorageError } from "../../../foundation/errors.js";
import { merged } from "../../../foundation/merge-patch.js";
import type { Settings } from "../../settings.js";
import type { Store } from "../../storage/store.js";
import { withAddresses } from "../alerts/settings.js";
import {
  type OperatorField,
  operatorValuesSchema,
  type SettingSource,
  type SettingsPatch,
} from "./schema.js";

const ENTRY = { kind: "settings", key: "operators" };

/** What operators set while servers run, in the shape of the settings file, which it is laid over. It has no null. */
export type OperatorValues = Omit<SettingsPatch, "version">;

/** What the API offers of them. */
export interface ChangeableSettings {
  readonly inUse: () => Pick<Settings, "budgets" | "alerts" | "autoCostWeight">;
  readonly sourceOf: (field: OperatorField) => SettingSource;
  /** Of what operators had set of that, or an older one. */
  readonly version: () => string;
  /**
   * Keeps a patch and takes it over, on this instance before it resolves.
   *
   * @param look called right before and right after
   * @throws SextantError `invalid_request` for values that cannot be used, `settings_rejected` when the settings file cannot be, and
   * `version_conflict` for a version that is not the newest; nothing has then changed
   */
  readonly change: <Seen>(
    patch: SettingsPatch,
    look: () => Seen,
  ) => Promise<{ readonly before: Seen; readonly after: Seen }>;
}

/**
 * Settings that operators change while the gateway runs: answers from memory, and follows changes of other processes when `refresh`
 * is called.
 */
export class OperatorSettings {
  readonly #store: Pick<Store, "name" | "get" | "update">;
  /** As it was read last. */
  #text: string | undefined;
  #values: OperatorValues = {};

  constructor(store: Pick<Store, "name" | "get" | "update">) {
    this.#store = store;
  }

  get values(): OperatorValues {
    return this.#values;
  }

  /** As the values. */
  get version(): string {
    return versionOf(this.#text);
  }

  /** What a patch makes of the newest values. @throws SextantError `version_conflict`, and StorageError */
  async patched(patch: SettingsPatch): Promise<OperatorValues> {
    await this.refresh();
    return this.#patched(this.#text, patch);
  }

  /**
   * Keeps what a patch makes of the newest values, unless `check` throws.
   *
   * @throws what `check` does, SextantError `version_conflict`, and StorageError; nothing has then changed
   */
  async change(patch: SettingsPatch, check: (values: OperatorValues) => void): Promise<void> {
    let kept: string | undefined;
    await this.#store.update(ENTRY, (text) => {
      const values = this.#patched(text, patch);
      check(values);
      kept = JSON.stringify({ version: 1, values });
      return kept;
    });
    this.#remember(kept);
  }

  /** Reads the store again. @throws StorageError; what was known so far then stays */
  async refresh(): Promise<void> {
    this.#remember(await this.#store.get(ENTRY));
  }

  #remember(text: string | undefined): void {
    if (text === this.#text) return;
    this.#values = this.#parse(text);
    this.#text = text;
  }

  #patched(text: string | undefined, { version, ...patch }: SettingsPatch): OperatorValues {
    if (version !== undefined && version !== versionOf(text))
      throw new SextantError(
        "version_conflict",
        "Somebody else has changed the settings since they were read. Read them again, and repeat the change.",
        { param: "version" },
      );
    const values = this.#parse(text);
    const alerts = withAddresses(patch.alerts, values.alerts);
    return merged(values, { ...patch, alerts }) as OperatorValues;
  }

  #parse(text: string | undefined): OperatorValues {
    if (text === undefined) return {};
    try {
      const { values } = JSON.parse(text) as { readonly values: unknown };
      // Defaults are not filled in: what is not set is the settings file's to say.
      if (operatorValuesSchema.safeParse(values).success) return values as OperatorValues;
    } catch {}
    throw new StorageError(
      `${this.#store.name} has no readable settings of operators. Restore it from a backup, or remove its entry "settings:operators".`,
    );
  }
}

const versionOf = (text = ""): string => createHash("sha256").update(text).digest("hex").slice(0, 16);
