import { faultOf } from "../../src/gateway/providers/http/fault.js";
import { KeyPool, type PooledKey } from "../../src/gateway/providers/keys/key-pool.js";
import { KeyedProvider } from "../../src/gateway/providers/keys/keyed-provider.js";
import type {
  CallOptions,
  Provider,
  ProviderCall,
  ProviderReply,
} from "../../src/gateway/providers/provider.js";
import { answers, FakeProvider } from "./provider.js";
import { type AccountOptions, VendorAccount } from "./vendors/accounts.js";

/** A key at a vendor that counts and refuses; it answers what it does not refuse. */
export class FakeKey extends FakeProvider {
  readonly account: VendorAccount;

  constructor(
    readonly key: string,
    private readonly options: AccountOptions,
  ) {
    super("lab", answers("hello"));
    this.account = new VendorAccount(options);
  }

  override async send(call: ProviderCall, options: CallOptions): Promise<ProviderReply> {
    const reply = this.account.call(call.upstreamModel);
    if ("body" in reply) {
      const { status, headers, body } = reply;
      throw faultOf({ status, headers, text: JSON.stringify(body) }, { nowMs: this.options.now() });
    }
    options.seen?.(reply.headers);
    return super.send(call, options);
  }
}

export interface KeyedOptions {
  readonly clock: () => number;
  readonly random?: () => number;
}

/** The provider `lab` with these keys, in a time that is also that of the vendor. */
export function keyedLab(
  keys: readonly {
    readonly provider: Provider;
    readonly key: string;
    readonly limits?: Partial<PooledKey>;
  }[],
  { clock, random = () => 0 }: KeyedOptions,
): KeyedProvider {
  const pooled = keys.map(({ provider, key, limits }) => ({ name: key, provider, weight: 1, ...limits }));
  return new KeyedProvider("lab", new KeyPool(pooled, { clock, random, now: clock }));
}
