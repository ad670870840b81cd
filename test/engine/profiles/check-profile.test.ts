import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import {
  decodeModelProfile,
  encodeModelProfile,
  type ModelProfile,
} from "../../../src/engine/profiles/model-profile.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { buildPlanted, EMBEDDER, evidenceAt, type PlantedWorld, plantWorld } from "./planted-set.js";

const skill = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
const MODELS = [
  { model: "first", skill, tokensOut: 100 },
  { model: "second", skill: skill.map((chance) => chance - 0.1), tokensOut: 200 },
  { model: "third", skill: skill.map((chance) => chance - 0.2), tokensOut: 300, costUsd: 0.002 },
];
const OPTIONS = { embedder: EMBEDDER };

const parent = folderForTests();
let world: PlantedWorld;
let folder: string;
let original: ModelProfile;

beforeAll(async () => {
  world = plantWorld(MODELS, { prompts: 300, seed: 3 });
  folder = await buildPlanted(world, parent);
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

type Sections = Omit<ModelProfile, "facts"> & { readonly facts: object };

function changed(change: (profile: ModelProfile) => Partial<Sections>): ModelProfile {
  const profile = structuredClone(original);
  const { facts, ...sections } = change(profile);
  return { ...profile, ...sections, facts: { ...profile.facts, ...facts } };
}

async function expectRefusal(profile: ModelProfile, message: string | RegExp): Promise<void> {
  const loading = loadProfileSet(await setWith(profile), OPTIONS);
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.toThrow(/added\.profile/);
}

describe("A profile that somebody made up", () => {
  it.each<[string, number, (profile: ModelProfile) => Float32Array | undefined]>([
    ["table_quality", Number.NaN, ({ table }) => table.quality],
    ["table_quality", 1000, ({ table }) => table.quality],
    ["table_coverage", -3, ({ table }) => table.coverage],
    ["skill", Number.POSITIVE_INFINITY, ({ skill }) => skill],
    ["table_bill", Number.NaN, ({ bill }) => bill?.table],
    ["table_bill", -5, ({ bill }) => bill?.table],
  ])(
    "is refused for a %s of %d, by the file's name, the field and its value",
    async (field, value, within) => {
      const made = changed((profile) => {
        within(profile)?.fill(value, 0, 1);
        return {};
      });
      await expectRefusal(made, new RegExp(`${field} has the value ${value}, outside .*\\. Build`));
    },
  );

  it.each([
    ["overall_quality", 7],
    ["overall_error", -1000],
    ["placed_variance", 1e300],
    ["general_skill", 999],
    ["thinking_tokens", -1],
  ])("is refused for %s of %d", async (field, value) => {
    const made = changed(() => ({ facts: { [field]: value } }));
    await expectRefusal(made, field);
  });

  it.each<[string, RegExp, (profile: ModelProfile) => Partial<Sections>]>([
    ["skills of fewer topics", /skill has 5 values instead of 6/, ({ skill }) => ({ skill: skill.slice(1) })],
    ["more answers than scores", /scored has \d+ values instead of 300/, () => ({ facts: { scored: 1e9 } })],
    [
      "an enormous factor of its bills",
      /bill\.smear has the value 1e\+300/,
      ({ facts }) => ({ facts: { bill: { ...facts.bill, smear: 1e300 } } }),
    ],
    ["fewer scores than answers", /quality has 299 values/, ({ quality }) => ({ quality: quality.slice(1) })],
    [
      "scores on anchors that do not exist",
      /observed marks anchors beyond the 300 of the set/,
      ({ observed }) => ({ observed: observed.with(-1, 0xff) }),
    ],
  ])("is refused for %s", async (_, message, change) => {
    await expectRefusal(changed(change), message);
  });

  it("leaves the estimates of the other models alone, whatever it claims within the limits", async () => {
    const claims = changed((profile) => ({
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
    }));
    const { set } = await loadProfileSet(await setWith(claims), OPTIONS);
    const { set: without } = await loadProfileSet(folder, OPTIONS);
    for (const vector of world.topics) {
      const [after, before] = [evidenceAt(set, vector), evidenceAt(without, vector)];
      for (const { model } of MODELS) {
        const [column, columnBefore] = [set.models.indexOf(model), without.models.indexOf(model)];
        expect(after.quality[column]).toBeCloseTo(before.quality[columnBefore] as number, 6);
        expect(after.stderr[column]).toBeCloseTo(before.stderr[columnBefore] as number, 6);
      }
      expect(after.quality[set.models.indexOf("added")]).toBeLessThanOrEqual(1);
    }
  });
});
