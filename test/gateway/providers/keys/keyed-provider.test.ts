import { expect, it } from "vitest";
import { KeyPool } from "../../../../src/gateway/providers/keys/key-pool.js";
import { KeyedProvider } from "../../../../src/gateway/providers/keys/keyed-provider.js";
import { type Provider, ProviderFault } from "../../../../src/gateway/providers/provider.js";
import { FakeProvider } from "../../../fakes/provider.js";

type Kept = Required<Provider>["kept"];
const unknownHere: Kept = async () => {
  throw new ProviderFault("model_not_found", "no such response", { status: 404 });
};
const away: Kept = async () => {
  throw new ProviderFault("server_error", "away", { status: 500 });
};
const refused: Kept = async () => {
  throw new ProviderFault("credentials_refused", "revoked", { status: 401 });
};
const knows: Kept = async () => ({ status: 200, body: {} }) as never;

const providerOf = (...parts: readonly Partial<Provider>[]): KeyedProvider => {
  const keys = parts.map((part, at) => {
    const name = `key-${at}`;
    return { name, provider: Object.assign(new FakeProvider(name), part), weight: 1 };
  });
  return new KeyedProvider("lab", new KeyPool(keys, { clock: () => 0, random: () => 0, now: () => 0 }));
};
const ask = (...kept: readonly Kept[]) =>
  providerOf(...kept.map((one) => ({ kept: one }))).kept?.({} as never, new AbortController());

it("A provider with several keys counts tokens and keeps responses where that of its keys does", () => {
  expect(providerOf({ countTokens: async () => 7 }).countTokens).toBeDefined();
  expect(providerOf({}).countTokens).toBeUndefined();
  expect(providerOf({}).kept).toBeUndefined();
});

it("A provider with several keys asks them in turn for a response, until one knows it or fails", async () => {
  await expect(ask(unknownHere, knows)).resolves.toMatchObject({ status: 200 });
  await expect(ask(unknownHere, unknownHere)).rejects.toMatchObject({ status: 404 });
  await expect(ask(away, knows)).rejects.toMatchObject({ code: "server_error" });
});

it("A provider with several keys leaves out those that are refused, and tells of them where no other knows the response", async () => {
  await expect(ask(refused, knows)).resolves.toMatchObject({ status: 200 });
  await expect(ask(refused, unknownHere)).rejects.toMatchObject({ status: 401 });
  const provider = providerOf({ countTokens: refused as never }, { countTokens: async () => 7 });
  const call = { upstreamModel: "model-a" } as Parameters<Required<Provider>["countTokens"]>[0];
  const options = { signal: new AbortController().signal };
  await expect(provider.countTokens?.(call, options)).resolves.toBe(7);
});
