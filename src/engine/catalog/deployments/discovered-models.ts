import type { ProviderModelEntry } from "../entries.js";
import { publicProvider } from "../providers/public-providers.js";

/** A model that a server of one's own says it has. */
export interface DiscoveredModel {
  /** Name in requests to the server. */
  readonly id: string;
  /** Null when the server does not say. */
  readonly contextTokens: number | null;
}

/** Ollama's tag of a name without one: https://docs.ollama.com/api/introduction, "Model names", read on 2026-11-23. */
const DEFAULT_TAG = ":latest";

/** What the self-hosted servers said last of their models, by provider. */
export class DiscoveredModels {
  readonly #byProvider = new Map<string, readonly ProviderModelEntry[]>();
  /** Rises with every change. */
  version = 0;

  /** @returns whether that changed anything */
  set(provider: string, models: readonly DiscoveredModel[]): boolean {
    const entries = models.map(({ id, contextTokens }) => ({
      id,
      ...(contextTokens === null ? {} : { context_tokens: contextTokens }),
    }));
    if (JSON.stringify(entries) === JSON.stringify(this.#byProvider.get(provider) ?? [])) return false;
    this.#byProvider.set(provider, entries);
    this.version += 1;
    return true;
  }

  /** Forgets what other providers said. */
  keepOnly(providers: readonly string[]): void {
    for (const id of [...this.#byProvider.keys()]) if (!providers.includes(id)) this.set(id, []);
  }

  /** The model of a provider by its name, of which Ollama's default tag may be left out. */
  find(provider: string, name: string): ProviderModelEntry | undefined {
    const models = this.#byProvider.get(provider);
    return models?.find(({ id }) => id === name) ?? models?.find(({ id }) => id === `${name}${DEFAULT_TAG}`);
  }

  /** Names to list: with the provider where the first part of the name would be taken for another one. */
  names(): readonly string[] {
    return [...this.#byProvider].flatMap(([provider, models]) =>
      models.map(({ id }) => {
        const maker = id.includes("/") ? publicProvider(id.slice(0, id.indexOf("/"))) : undefined;
        return maker === undefined ? id : `${provider}/${id}`;
      }),
    );
  }
}
