/** Brings the records of a list into the catalog file: reviewed fields stay, and what the list does not have stays too. */

import type { CatalogFile, ModelEntry } from "../../src/engine/catalog/catalog-file.js";
import { knownModel } from "../../src/engine/catalog/deployments/model-names.js";
import { isDated } from "../../src/engine/catalog/models/canonical-id.js";
import { catalogId } from "../../src/engine/catalog/models/dataset-names.js";
import { publicProvider } from "../../src/engine/catalog/providers/public-providers.js";
import type { SourceRecord } from "./source-records.js";

export interface MergeReport {
  readonly added: readonly string[];
  /** Model → the fields that are new or another. */
  readonly changed: ReadonlyMap<string, readonly string[]>;
  /** Facts that a source has otherwise than the file, which stays. */
  readonly disagreements: readonly string[];
  readonly unchanged: number;
  /** Names that were left out: no models of text, names that move, models that only a host has. */
  readonly skipped: readonly string[];
}

/** Names of what is no chat of text, and names that stand for another model from time to time. */
const SKIPPED =
  /-latest$|:free$|^~|embed|moderation|whisper|transcribe|tts|audio|realtime|voice|voxtral|image|imagen|veo-|video|live|lyria|ocr|computer-use|deep-research|robotics|search|guard|nano-banana|-omni-|customtools/;

/** Whether a name is that of no chat of text, or stands for another model from time to time. */
export const isNoChat = (name: string): boolean => SKIPPED.test(name);

/** @returns the models with the records in them, in order of their ids */
export function mergeRecords(
  file: Pick<CatalogFile, "models">,
  records: readonly SourceRecord[],
): { readonly models: CatalogFile["models"]; readonly report: MergeReport } {
  const models = new Map(Object.entries(file.models));
  const idByAlias = new Map(
    [...models].flatMap(([id, { aliases = [] }]) => aliases.map((alias) => [alias, id])),
  );
  const [skipped, disagreements]: [string[], string[]] = [[], []];
  const seen = new Set<string>();
  for (const record of inOrder(records)) {
    const id = idByAlias.get(record.name) ?? idOf(record);
    const known = models.get(id);
    if (
      (record.ofMaker && seen.has(id)) ||
      isNoChat(id) ||
      isNoChat(record.name) ||
      (!record.ofMaker && known === undefined)
    ) {
      skipped.push(record.name);
      continue;
    }
    if (record.ofMaker) seen.add(id);
    disagreements.push(...differences(id, known, record));
    models.set(id, merge(id, known, record));
  }
  const sorted = [...models].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    models: Object.fromEntries(sorted),
    report: { ...reportOf(file.models, models), skipped, disagreements },
  };
}

/** What a list that only completes the file says otherwise. */
function differences(id: string, known: ModelEntry | undefined, record: SourceRecord): readonly string[] {
  if (!record.completes || !record.ofMaker || known === undefined) return [];
  return (["context", "max_output"] as const).flatMap((field) => {
    const [ours, theirs] = [known[field], record.facts[field]];
    return ours === undefined || theirs === undefined || ours === theirs
      ? []
      : [`${id}: ${field} ${ours}, ${theirs} by ${record.source}`];
  });
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

function merge(id: string, known: ModelEntry | undefined, record: SourceRecord): ModelEntry {
  const { ofMaker, completes, facts, source, asOf } = record;
  const served = servedName(record, id);
  const names = { ...served, ...known?.names };
  const origin = { source, ...(asOf === undefined ? {} : { as_of: asOf }) };
  // What a host says of a model is about the host, but for its context where nobody else says it.
  const { context } = facts;
  const found = ofMaker ? { ...facts, ...origin } : context === undefined ? {} : { context };
  return {
    ...(completes || !ofMaker ? { ...found, ...known } : { ...known, ...found }),
    ...(Object.keys(names).length === 0 ? {} : { names }),
  };
}

/** A maker's own name, where it is not the id; a host's, where the id does not lead to it. */
function servedName({ provider, name, ofMaker, price }: SourceRecord, id: string): ModelEntry["names"] {
  if (provider === null || (ofMaker && !isMakers(provider))) return {};
  const plain = ofMaker ? name : name.slice(name.indexOf("/") + 1);
  const isFound = (price !== null && undotted(plain) === undotted(id)) || isDated(plain, id);
  return isFound ? {} : { [provider]: name };
}

const isMakers = (provider: string): boolean => publicProvider(provider)?.models === "listed";
const undotted = (name: string): string => name.toLowerCase().replaceAll(".", "-");

function reportOf(
  before: CatalogFile["models"],
  after: ReadonlyMap<string, ModelEntry>,
): Pick<MergeReport, "added" | "changed" | "unchanged"> {
  const added: string[] = [];
  const changed = new Map<string, readonly string[]>();
  for (const [id, model] of after) {
    const old = before[id];
    if (old === undefined) added.push(id);
    else {
      const fields = changedFields(old, model);
      if (fields.length > 0) changed.set(id, fields);
    }
  }
  return { added: added.sort(), changed, unchanged: after.size - added.length - changed.size };
}

function changedFields(before: ModelEntry, after: ModelEntry): readonly string[] {
  const [old, now] = [
    new Map<string, unknown>(Object.entries(before)),
    new Map<string, unknown>(Object.entries(after)),
  ];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (name) => JSON.stringify(old.get(name)) !== JSON.stringify(now.get(name)),
  );
}
