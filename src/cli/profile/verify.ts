import { openNamedEmbedder } from "../../compose/workbench.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { loadProfileSets } from "../../engine/index.js";
import type { IndexKind } from "../../engine/search/anchor-index.js";
import { CommandFailure, writeLine } from "../context.js";
import { EMBEDDER_OPTION, path } from "../options.js";
import { profileSubcommand } from "./explained.js";
import { SET_OPERAND } from "./inspect.js";

export const verifyCommand = profileSubcommand("verify", {
  about: "check format, checksums, embedder and search of a profile set",
  operands: [SET_OPERAND],
  options: EMBEDDER_OPTION,
  async run(options, context, folder) {
    const embedder = await openNamedEmbedder({ ...options, signal: context.signal }, context);
    try {
      for (const set of await verifyProfileSets(path(folder, context), embedder)) {
        const search = `${set.searchKind} search finds ${(100 * set.recall).toFixed(1)}% of the nearest anchors`;
        await writeLine(
          context.stdout,
          `${set.name}: whole; ${set.anchors} anchors, ${set.models} models; made for embedder ${embedder.id}; ${search}`,
        );
        for (const note of set.notes) await writeLine(context.stderr, `sextant: ${note}`);
      }
    } finally {
      await embedder.close();
    }
  },
});

const PROBES = 200;
const NEIGHBOURS = 20;
/** What the contract of `AnchorIndex` promises against the exact search. */
const LEAST_RECALL = 0.98;
/** A stored vector is off by at most half a quantisation step per number. */
const LEAST_SELF_SIMILARITY = 0.99;

interface VerifiedSet {
  readonly name: string;
  readonly anchors: number;
  readonly models: number;
  readonly searchKind: IndexKind;
  /** Share of the exact nearest anchors that the set's search finds. */
  readonly recall: number;
  readonly notes: readonly string[];
}

/**
 * Checks every set in a folder: format, checksums, that it belongs to `embedder`, and that its search finds stored
 * anchors and what the exact search finds.
 *
 * @throws ProfileSetError naming both sides of what does not fit; CommandFailure when the search of
 * a set whose files are whole finds too little
 */
async function verifyProfileSets(folder: string, embedder: Embedder): Promise<VerifiedSet[]> {
  const options = { embedder };
  const served = await loadProfileSets(folder, options);
  const exact = await loadProfileSets(folder, { ...options, index: "exact" });
  return served.map(({ set, manifest, profiles, notes }, index) => ({
    name: manifest.name,
    anchors: manifest.anchors,
    models: profiles.length,
    searchKind: set.index.kind,
    recall: checkSearch(set, exact[index]?.set ?? set),
    notes,
  }));
}

function checkSearch(set: AnchorSet, exact: AnchorSet): number {
  let found = 0;
  let wanted = 0;
  const step = Math.max(1, Math.floor(set.index.size / PROBES));
  for (let anchor = 0; anchor < set.index.size; anchor += step) {
    const vector = set.vectorOf(anchor);
    const nearest = set.index.search(vector, NEIGHBOURS);
    const similarity = nearest.similarities[0] ?? 0;
    const readable = vector.some((value) => value !== 0);
    if (readable && similarity < LEAST_SELF_SIMILARITY) {
      throw new CommandFailure(
        `${set.name}: the search for anchor ${anchor} finds nothing nearer than ${similarity.toFixed(3)}, though the ` +
          "anchor itself is 1. Build the set again.",
      );
    }
    const reference = new Set(exact.index.search(vector, NEIGHBOURS).anchors);
    wanted += reference.size;
    for (const one of nearest.anchors) found += reference.has(one) ? 1 : 0;
  }
  const recall = found / wanted;
  if (recall >= LEAST_RECALL) return recall;
  throw new CommandFailure(
    `${set.name}: the ${set.index.kind} search finds ${(100 * recall).toFixed(1)}% of what the exact search finds, ` +
      `less than ${100 * LEAST_RECALL}%. Build the set again.`,
  );
}
