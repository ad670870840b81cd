import { StorageError } from "../../../foundation/errors.js";
import { merged } from "../../../foundation/merge-patch.js";
import type { Settings } from "../../settings.js";
import type { Store } from "../../storage/store.js";
import { type OperatorField, type SettingSource, type SettingsPatch, settingsPatchSchema } from "./schema.js";

const ENTRY = { kind: "settings", key: "operators" };

/** What operators set while servers run, in the shape of the settings file, which it is laid over. It has no null. */
export type OperatorValues = SettingsPatch;

/** What the API offers of them. */
export interface ChangeableSettings {
  readonly inUse: () => Pick<Settings, "budgets" | "alerts" | "autoCostWeight">;
  readonly sourceOf: (field: OperatorField) => SettingSource;
  /**
   * Keeps a patch and takes it over, on this instance before it resolves.
   *
   * @throws SextantError `invalid_request` for values that cannot be used, `settings_rejected` when the settings file cannot be;
   * nothing has then changed
   */
  readonly change: (patch: SettingsPatch) => Promise<void>;
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

  /**
   * Merges a patch into what is set, unless `check` throws.
   *
   * @throws what `check` does, and StorageError; nothing has then changed
   */
  async change(patch: SettingsPatch, check: (values: OperatorValues) => void): Promise<void> {
    await this.#store.update(ENTRY, (text) => {
      const next = merged(this.#parse(text), patch) as OperatorValues;
      check(next);
      return JSON.stringify({ version: 1, values: next });
    });
    await this.refresh();
  }

  /** Reads the store again. @returns whether anything differs @throws StorageError; what was known so far then stays */
  async refresh(): Promise<boolean> {
    const text = await this.#store.get(ENTRY);
    if (text === this.#text) return false;
    this.#values = this.#parse(text);
    this.#text = text;
    return true;
  }

  #parse(text: string | undefined): OperatorValues {
    if (text === undefined) return {};
    try {
      const { values } = JSON.parse(text) as { readonly values: unknown };
      // Defaults are not filled in: what is not set is the settings file's to say.
      if (settingsPatchSchema.safeParse(values).success) return values as OperatorValues;
    } catch {}
    throw new StorageError(
      `${this.#store.name} has no readable settings of operators. Restore it from a backup, or remove its entry "settings:operators".`,
    );
  }
}
