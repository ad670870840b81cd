/** Brings what several sources say of prices together: the newest counts from its day on, older ones before it. */
import type { Charge, ChargedRates, Host, HostModel } from "../../src/engine/catalog/catalog-file.js";
import { isDated } from "../../src/engine/catalog/models/canonical-id.js";
import { HostModels } from "../../src/engine/catalog/prices/prices.js";

/** What one source says that a host charges. */
export interface SourcedPrice {
  readonly host: string;
  /** The host's name of the model. */
  readonly name: string;
  readonly context?: number | undefined;
  /** Several where a change is announced; the first holds now. */
  readonly charges: readonly [Charge, ...Charge[]];
  readonly source: string;
  /** Day on which the source was right. */
  readonly asOf: string;
}

export interface Disagreement {
  readonly host: string;
  readonly name: string;
  readonly before: string;
  readonly now: string;
}

/**
 * @param hosts of a list with earlier prices too
 * @param hostsAsOf its day: what others said before it is not asked where it has a price
 * @param prices of others
 * @returns the hosts with all of them, and where a newer source says another price than the one before it
 */
export function mergePrices(
  hosts: Readonly<Record<string, Host>>,
  hostsAsOf: string,
  prices: readonly SourcedPrice[],
): { readonly hosts: Readonly<Record<string, Host>>; readonly disagreements: readonly Disagreement[] } {
  const merged = new Map(
    Object.entries(hosts).map(([id, host]) => [id, { ...host, models: [...host.models] }]),
  );
  const disagreements: Disagreement[] = [];
  for (const price of [...prices].sort((left, right) => (left.asOf < right.asOf ? -1 : 1))) {
    const host = merged.get(price.host) ?? { models: [] };
    merged.set(price.host, host);
    const model = new HostModels(price.host, host).find(price.name.toLowerCase());
    if (model === undefined) {
      host.models.push(newModel(host, price));
      continue;
    }
    if (price.asOf <= hostsAsOf && model.prices.length > 0) continue;
    const before = inForce(model.prices, price.asOf);
    const agrees = before.some((charge) => agree(charge, price.charges[0]));
    if (agrees && price.charges.length === 1) continue;
    if (!agrees && price.name !== model.id && !isDated(price.name, model.id)) {
      // A name that the list has for another model's: it is one of its own, and found first.
      host.models.unshift(newModel(host, price));
      continue;
    }
    if (before[0] !== undefined && !agrees) {
      disagreements.push({
        host: price.host,
        name: price.name,
        before: text(before[0]),
        now: `${text(price.charges[0])} (${price.source})`,
      });
    }
    host.models[host.models.indexOf(model)] = { ...model, prices: withPrice(model.prices, price, agrees) };
  }
  return { hosts: Object.fromEntries(merged), disagreements };
}

function newModel(host: Host, { host: id, name, context, charges, source, asOf }: SourcedPrice): HostModel {
  return {
    id: name,
    ...(context === undefined ? {} : { context }),
    prices: charges.map((charge) => ({ ...charge, ...callsOf(id, host), source, as_of: asOf })),
  };
}

/** Vendors who charge the same for their tools, whatever the model (of new models a guess). */
const SAME_FEES = new Set(["openai", "anthropic"]);

function callsOf(id: string, host: Host): Pick<Charge, "calls"> {
  if (!SAME_FEES.has(id)) return {};
  const calls = host.models
    .findLast(({ prices }) => prices.at(-1)?.calls !== undefined)
    ?.prices.at(-1)?.calls;
  return calls === undefined ? {} : { calls };
}

/** The charges of a day, the last first: those of some hours, and the one of the others. */
function inForce(charges: readonly Charge[], day: string): readonly Charge[] {
  const held = charges.filter(({ from = "", until = "9999" }) => from <= day && day < until).reverse();
  return held.slice(0, held.findIndex(({ hours }) => hours === undefined) + 1);
}

/** Whether a newer charge says the same as an older one, where both say something. */
function agree(older: Charge, newer: Charge): boolean {
  const same = (a: ChargedRates, b: ChargedRates) =>
    (["input", "output", "cached_input", "cache_write"] as const).every(
      (kind) => a[kind] === undefined || b[kind] === undefined || Math.abs(a[kind] - b[kind]) < 1e-9,
    );
  const [before, now] = [older.above ?? [], newer.above ?? []];
  const sameAbove =
    before.length === now.length && before.every((rates, at) => same(rates, now[at] ?? rates));
  return same(older, newer) && (now.length === 0 || sameAbove);
}

/** With the charges of a newer source, of which only the announced ones are news where it agrees. */
function withPrice(
  before: readonly Charge[],
  { charges, source, asOf }: SourcedPrice,
  agrees: boolean,
): readonly Charge[] {
  const calls = before.at(-1)?.calls;
  const added = charges.slice(agrees ? 1 : 0).map((charge) => ({
    ...(before.length > 0 ? { from: asOf } : {}),
    ...charge,
    ...(calls === undefined ? {} : { calls }),
    source,
    as_of: asOf,
  }));
  const news = added.filter((one) => !before.some((other) => other.from === one.from && agree(other, one)));
  const isLater = ({ from = "" }: Charge) => from > asOf;
  return [...before.filter((charge) => !isLater(charge)), ...news, ...before.filter(isLater)];
}

const text = ({ input, cached_input, output, above = [] }: Charge): string =>
  [
    `${input}/${output}`,
    ...(cached_input === undefined ? [] : [`cached ${cached_input}`]),
    ...above.map((rates) => `above ${rates.tokens} ${rates.input}/${rates.output}`),
  ].join(", ");
