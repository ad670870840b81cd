/** Brings the records of a list into the catalog file: reviewed fields stay, and what the list does not have stays too. */

import { knownModel } from "../../src/engine/catalog/deployments/model-names.js";
import type { CatalogFile } from "../../src/engine/catalog/models/catalog-data.js";
import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import { findListedAt } from "../../src/engine/catalog/prices/prices.js";
import { publicProvider } from "../../src/engine/catalog/providers/public-providers.js";
import type { SourceRecord } from "./source-records.js";

type CatalogModel = CatalogFile["models"][string];

type Imported = NonNullable<CatalogModel["imported"]>;

export interface MergeReport {
  readonly added: readonly string[];
  /** Model → the fields that are new or another. */
  readonly changed: ReadonlyMap<string, readonly string[]>;
  readonly unchanged: number;
  /** Names that were left out: no models of text, names that move, models that only a host has. */
  readonly skipped: readonly string[];
}

/** Names of what is no chat of text, and names that stand for another model from time to time. */
const SKIPPED =
  /-latest$|:free$|^~|embed|moderation|whisper|transcribe|tts|audio|realtime|voice|voxtral|image|imagen|veo-|video|live|lyria|ocr|computer-use|deep-research|robotics|search|guard/;

/**
 * @param at whose day's price list counts: a price is taken only where that list has none
 * @returns the file with the records in it, models in order of their ids
 */
export function mergeRecords(
  file: CatalogFile,
  records: readonly SourceRecord[],
  { at, asOf }: { readonly at: Date; readonly asOf: string },
): { readonly file: CatalogFile; readonly report: MergeReport } {
  const models = new Map(Object.entries(file.models));
  const skipped: string[] = [];
  const seen = new Set<string>();
  for (const record of inOrder(records)) {
    const id = idOf(record);
    const known = models.get(id);
    const repeats = record.ofMaker && seen.has(id);
    if (
      repeats ||
      SKIPPED.test(id) ||
      SKIPPED.test(record.name) ||
      (!record.ofMaker && known === undefined)
    ) {
      skipped.push(record.name);
      continue;
    }
    if (record.ofMaker) seen.add(id);
    const imported = importedOf(id, record, { known, at });
    if (imported !== null) models.set(id, { ...known, imported });
  }
  const sorted = [...models].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    file: { ...file, as_of: asOf, models: Object.fromEntries(sorted) },
    report: reportOf(file, models, skipped),
  };
}

/** Makers first: hosts add names to models, not models. A model's own name comes before its dated ones and its previews. */
function inOrder(records: readonly SourceRecord[]): readonly SourceRecord[] {
  const place = (record: SourceRecord): number =>
    (record.ofMaker ? 0 : 2) + (record.name === idOf(record) ? 0 : 1);
  return [...records].sort((left, right) => place(left) - place(right));
}

/** The catalog's id of what a provider calls by that name. */
function idOf({ provider, name }: SourceRecord): string {
  const known = provider === null ? name : knownModel(name, provider).id;
  if (known !== name) return known;
  const plain = name.slice(name.lastIndexOf("/") + 1);
  // One host writes versions with a `p` for the dot.
  return catalogId(provider === "fireworks" ? plain.replaceAll(/(\d)p(\d)/g, "$1.$2") : plain, "");
}

interface ImportOptions {
  readonly known: CatalogModel | undefined;
  readonly at: Date;
}

function importedOf(id: string, record: SourceRecord, { known, at }: ImportOptions): Imported | null {
  const { provider, name, ofMaker, facts, source, asOf } = record;
  const before = known?.imported;
  const listed = provider === null ? null : listedPrice(provider, name, at);
  const names = servedName(record, id);
  const price = provider === null || listed ? null : record.price;
  const prices =
    price === null || provider === null ? {} : { [provider]: { ...price, ...(asOf ? { as_of: asOf } : {}) } };
  if (!ofMaker && Object.keys(names).length + Object.keys(prices).length === 0) return null;
  const origin =
    ofMaker || before === undefined ? { source, ...(asOf === undefined ? {} : { as_of: asOf }) } : before;
  const merged = {
    ...before,
    ...(ofMaker ? facts : {}),
    ...nonEmpty("names", { ...before?.names, ...names }),
    ...nonEmpty("prices", { ...before?.prices, ...prices }),
    source: origin.source,
    ...(origin.as_of === undefined ? {} : { as_of: origin.as_of }),
  };
  return merged;
}

/** A maker's own name, where it is not the id; a host's, where the list does not have it. */
function servedName({ provider, name, ofMaker }: SourceRecord, id: string): Readonly<Record<string, string>> {
  if (
    provider === null ||
    (ofMaker && !isMakers(provider)) ||
    (ofMaker && name === id && isListed(provider, name))
  ) {
    return {};
  }
  return ofMaker || !isListed(provider, name) ? { [provider]: name } : {};
}

const isMakers = (provider: string): boolean => publicProvider(provider)?.models === "listed";
const listOf = (provider: string): string => publicProvider(provider)?.priceList ?? provider;
const isListed = (provider: string, name: string): boolean =>
  findListedAt(listOf(provider), name, { at: new Date(0) }) !== null;
const listedPrice = (provider: string, name: string, at: Date): boolean =>
  (findListedAt(listOf(provider), name, { at })?.price ?? null) !== null;

const nonEmpty = <Field extends string, Value extends object>(field: Field, value: Value) =>
  (Object.keys(value).length === 0 ? {} : { [field]: value }) as { [Name in Field]?: Value };

function reportOf(
  before: CatalogFile,
  after: ReadonlyMap<string, CatalogModel>,
  skipped: readonly string[],
): MergeReport {
  const added: string[] = [];
  const changed = new Map<string, readonly string[]>();
  for (const [id, model] of after) {
    const old = before.models[id];
    if (old === undefined) added.push(id);
    else {
      const fields = changedFields(old.imported, model.imported);
      if (fields.length > 0) changed.set(id, fields);
    }
  }
  return { added: added.sort(), changed, unchanged: after.size - added.length - changed.size, skipped };
}

function changedFields(before: Imported | undefined, after: Imported | undefined): readonly string[] {
  const [old, now] = [Object.entries(before ?? {}), Object.entries(after ?? {})];
  const names = new Set([...old, ...now].map(([name]) => name));
  const [oldFields, nowFields] = [new Map<string, unknown>(old), new Map<string, unknown>(now)];
  return [...names].filter(
    (name) => JSON.stringify(oldFields.get(name)) !== JSON.stringify(nowFields.get(name)),
  );
}
