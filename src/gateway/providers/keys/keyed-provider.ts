import {
  type CallOptions,
  type NativeApi,
  type Provider,
  type ProviderCall,
  ProviderFault,
  type ProviderReply,
} from "../provider.js";
import type { KeyPool } from "./key-pool.js";

/**
 * A provider with several keys. Requests take a key from `keys` and call its own adapter, so that each attempt names its
 * key; what this adapter is asked itself (connection tests, counts of tokens, responses that are kept) goes to any key that
 * does not rest.
 */
export class KeyedProvider implements Provider {
  readonly kept?: Required<Provider>["kept"];
  readonly keptEvents?: Required<Provider>["keptEvents"];
  readonly countTokens?: Required<Provider>["countTokens"];

  constructor(
    readonly id: string,
    readonly keys: KeyPool,
  ) {
    const { any } = keys;
    if (any.countTokens !== undefined)
      this.countTokens = (call, options) => this.#ask((provider) => provider.countTokens?.(call, options));
    if (any.kept === undefined) return;
    this.kept = (call, options) => this.#ask((provider) => provider.kept?.(call, options));
    this.keptEvents = (call, options) => this.#ask((provider) => provider.keptEvents?.(call, options));
  }

  get natives(): ReadonlySet<NativeApi> {
    return this.keys.any.natives;
  }

  send(call: ProviderCall, options: CallOptions): Promise<ProviderReply> {
    return this.keys.any.send(call, options);
  }

  async close(): Promise<void> {
    await Promise.all(this.keys.providers.map((provider) => provider.close()));
  }

  /** Keys may be of different accounts, which keep their own responses: the first that knows it answers. A refused one may be that. */
  async #ask<Reply>(ask: (provider: Provider) => Promise<Reply> | undefined): Promise<Reply> {
    const faults: ProviderFault[] = [];
    for (const provider of this.keys.providers) {
      try {
        const reply = await ask(provider);
        if (reply !== undefined) return reply;
      } catch (reason) {
        if (!(reason instanceof ProviderFault)) throw reason;
        if (reason.status !== 404 && reason.rests === null) throw reason;
        faults.push(reason);
      }
    }
    throw faults.find(({ status }) => status !== 404) ?? faults[0] ?? new TypeError("no key can do that");
  }
}

/** The keys of a provider that has several. */
export const keysOf = (provider: Provider | undefined): KeyPool | undefined =>
  provider instanceof KeyedProvider ? provider.keys : undefined;
