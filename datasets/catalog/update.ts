/** The catalog file of the day: what it was, what lists say, and what people have reviewed. */
import {
  type CatalogFile,
  catalogSchema,
  type Host,
  type ReviewedFile,
} from "../../src/engine/catalog/catalog-file.js";
import { type Disagreement, mergePrices, type SourcedPrice } from "./merge-prices.js";
import { type MergeReport, mergeRecords } from "./merge-records.js";
import { withPredecessors } from "./predecessors.js";
import type { SourceRecord } from "./source-records.js";

interface Update {
  readonly before: CatalogFile;
  readonly reviewed: ReviewedFile;
  /** The list of prices that others complete, and its day. */
  readonly hosts: Readonly<Record<string, Host>>;
  readonly hostsAsOf: string;
  readonly notices: readonly string[];
  readonly records: readonly SourceRecord[];
  readonly asOf: string;
}

export interface UpdateReport extends MergeReport {
  readonly prices: readonly Disagreement[];
}

export function updatedCatalog({ before, reviewed, hosts, hostsAsOf, notices, records, asOf }: Update): {
  readonly file: CatalogFile;
  readonly report: UpdateReport;
} {
  const models = withReviewed(before.models, reviewed.models);
  const merged = mergeRecords({ models }, records);
  const prices = mergePrices(hosts, hostsAsOf, [
    ...sourcedPrices(before.hosts),
    ...sourcedPrices(reviewed.hosts),
    ...records.flatMap(priceOf),
  ]);
  const file: CatalogFile = {
    as_of: asOf,
    notices,
    retirements: reviewed.retirements,
    reasoning: reviewed.reasoning,
    apis: reviewed.apis,
    tiers: reviewed.tiers,
    models: withPredecessors(withReviewed(merged.models, reviewed.models), reviewed.models),
    hosts: prices.hosts,
  };
  // What is written is what will be read.
  return { file: catalogSchema.parse(file), report: { ...merged.report, prices: prices.disagreements } };
}

/** Prices with a source and a day of their own, which the list does not give again. */
const sourcedPrices = (hosts: Readonly<Record<string, Host>>): readonly SourcedPrice[] =>
  Object.entries(hosts).flatMap(([host, { models }]) =>
    models.flatMap(({ id, context, prices }) => {
      const days = new Set(
        prices.flatMap(({ source, as_of }) => (source !== undefined && as_of ? [as_of] : [])),
      );
      return [...days].flatMap((asOf) => {
        const said = prices.filter(({ source, as_of }) => source !== undefined && as_of === asOf);
        // Where only announced charges were news, what holds was there before.
        const isNews = (said[0]?.from ?? "") <= asOf;
        const held = isNews ? [] : prices.filter(({ from = "", hours }) => !hours && from <= asOf).slice(-1);
        const [first, ...more] = [...held, ...said].map(({ source: _, as_of: __, ...charge }) => charge);
        const source = said[0]?.source ?? "";
        return first === undefined
          ? []
          : [{ host, name: id, context, charges: [first, ...more] as const, source, asOf }];
      });
    }),
  );

function priceOf({
  provider,
  name,
  ofMaker,
  facts,
  price,
  source,
  asOf,
}: SourceRecord): readonly SourcedPrice[] {
  if (provider === null || price === null || asOf === undefined || isOffer(name)) return [];
  const context = ofMaker ? undefined : facts.context;
  return [{ host: provider, name, context, charges: [price], source, asOf }];
}

/** Names of batches, and of what stands for another model from time to time. */
const isOffer = (name: string): boolean => /^~|:batch$|:free$|-latest$/.test(name);

function withReviewed(
  models: CatalogFile["models"],
  reviewed: ReviewedFile["models"],
): CatalogFile["models"] {
  const ids = [...new Set([...Object.keys(models), ...Object.keys(reviewed)])].sort();
  return Object.fromEntries(
    ids.map((id) => {
      const names = { ...models[id]?.names, ...reviewed[id]?.names };
      return [id, { ...models[id], ...reviewed[id], ...(Object.keys(names).length === 0 ? {} : { names }) }];
    }),
  );
}
