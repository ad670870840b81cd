import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import {
  decodeModelProfile,
  encodeModelProfile,
  type ModelProfile,
} from "../../../src/engine/profiles/model-profile.js";
import { folderForTest } from "../../support/folders.js";
import { buildPlanted, EMBEDDER, type PlantedWorld, plantWorld } from "./planted-set.js";

const skill = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
const MODELS = [
  { model: "first", skill, tokensOut: 100 },
  { model: "second", skill: skill.map((chance) => chance - 0.1), tokensOut: 200 },
  { model: "third", skill: skill.map((chance) => chance - 0.2), tokensOut: 300, costUsd: 0.002 },
];
const OPTIONS = { embedder: EMBEDDER };

let world: PlantedWorld;
let folder: string;
let original: ModelProfile;

beforeAll(async () => {
  world = plantWorld(MODELS, { prompts: 300, seed: 3 });
  folder = await buildPlanted(world);
  original = decodeModelProfile(await readFile(join(folder, "models", "third.profile")), "third");
});

/** A copy of the set with one more profile, whose checksums are right. */
async function setWith(added: ModelProfile): Promise<string> {
  const copy = join(folderForTest(), "set");
  await cp(folder, copy, { recursive: true });
  const profile = { ...added, facts: { ...added.facts, model: "added" } };
  await writeFile(join(copy, "models", "added.profile"), encodeModelProfile(profile));
  return copy;
}

type Change = (profile: ModelProfile) => Partial<Omit<ModelProfile, "facts">> & { readonly facts?: object };

function changed(change: Change): ModelProfile {
  const { facts, ...sections } = change(original);
  return { ...original, ...sections, facts: { ...original.facts, ...facts } };
}

const first = (values: Float32Array, value: number): Float32Array => {
  const copy = values.slice();
  copy[0] = value;
  return copy;
};

const CHANGES: readonly (readonly [string, RegExp, Change])[] = [
  [
    "a quality that is not a number",
    /table_quality has the value NaN, outside 0 to 1\. Build/,
    ({ table }) => ({ table: { ...table, quality: first(table.quality, Number.NaN) } }),
  ],
  [
    "a quality above 1",
    /table_quality has the value 1000/,
    ({ table }) => ({ table: { ...table, quality: first(table.quality, 1000) } }),
  ],
  [
    "a negative coverage",
    /table_coverage has the value -3/,
    ({ table }) => ({ table: { ...table, coverage: first(table.coverage, -3) } }),
  ],
  [
    "an infinite skill",
    /skill has the value Infinity/,
    ({ skill }) => ({ skill: first(skill, Number.POSITIVE_INFINITY) }),
  ],
  ["skills of fewer topics", /skill has 5 values where 6 belong/, ({ skill }) => ({ skill: skill.slice(1) })],
  [
    "an overall quality above 1",
    /overall_quality has the value 7/,
    () => ({ facts: { overall_quality: 7 } }),
  ],
  ["a negative error", /overall_error has the value -1000/, () => ({ facts: { overall_error: -1000 } })],
  [
    "an enormous variance",
    /placed_variance has the value 1e\+300/,
    () => ({ facts: { placed_variance: 1e300 } }),
  ],
  [
    "a general skill beyond all odds",
    /general_skill has the value 999/,
    () => ({ facts: { general_skill: 999 } }),
  ],
  [
    "more answers than it has scores",
    /scored has \d+ values where 300 belong/,
    () => ({ facts: { scored: 1_000_000_000 } }),
  ],
  [
    "fewer scores than answers",
    /quality has 299 values where 300 belong/,
    ({ quality }) => ({ quality: quality.slice(1) }),
  ],
  [
    "scores on anchors that do not exist",
    /observed marks anchors beyond the 300 of the set/,
    ({ observed }) => ({
      observed: observed.map((byte, index) => (index === observed.length - 1 ? 0xff : byte)),
    }),
  ],
  [
    "a bill that is not a number",
    /table_bill has the value NaN/,
    ({ bill }) => ({ bill: { ...bill, table: first(bill?.table as Float32Array, Number.NaN) } }),
  ],
  [
    "a negative bill",
    /table_bill has the value -5/,
    ({ bill }) => ({ bill: { ...bill, table: first(bill?.table as Float32Array, -5) } }),
  ],
  ["a zero number of hidden tokens, below", /thinking_tokens/, () => ({ facts: { thinking_tokens: -1 } })],
];

describe("A profile that somebody made up", () => {
  it.each(CHANGES)(
    "is refused for %s, by the file's name, the field and its value",
    async (_, message, change) => {
      const loading = loadProfileSet(await setWith(changed(change)), OPTIONS);
      await expect(loading).rejects.toThrow(message);
      await expect(loading).rejects.toThrow(/added\.profile/);
    },
  );

  it("leaves the estimates of the other models alone, whatever it claims within the limits", async () => {
    const claims: Change = (profile) => ({
      quality: profile.quality.map(() => 255),
      skill: profile.skill.map(() => 50),
      table: { quality: profile.table.quality.map(() => 1), coverage: profile.table.coverage.map(() => 1) },
      facts: {
        mean_quality: 1,
        overall_quality: 1,
        overall_error: 0,
        general_skill: 50,
        measured_variance: 1e-9,
      },
    });
    const { set } = await loadProfileSet(await setWith(changed(claims)), OPTIONS);
    const { set: without } = await loadProfileSet(folder, OPTIONS);
    for (const vector of world.topics) {
      const of = (anchorSet: typeof set) =>
        gatherEvidence(anchorSet, vector, anchorSet.index.search(vector, anchorSet.parameters.neighbours));
      const [after, before] = [of(set), of(without)];
      for (const { model } of MODELS) {
        const [column, columnBefore] = [set.models.indexOf(model), without.models.indexOf(model)];
        expect(after.quality[column]).toBeCloseTo(before.quality[columnBefore] as number, 6);
        expect(after.stderr[column]).toBeCloseTo(before.stderr[columnBefore] as number, 6);
      }
      expect(after.quality[set.models.indexOf("added")]).toBeLessThanOrEqual(1);
    }
  });
});
