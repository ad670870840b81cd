import { AnchorsByPrompt } from "../../../src/engine/profiles/prompt-keys.js";
import { seededRandom } from "../../../src/foundation/random.js";
import type { ModelOutcomes } from "../../../src/workbench/fitting/outcome-table.js";
import { choosePrompts } from "../../../src/workbench/labels/choose-prompts.js";
import { type GivenModel, placeNewModel } from "../../../src/workbench/placement/add-model.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { openPlaceableSet, type PlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { dropModel, writeAddedProfile } from "../../../src/workbench/placement/profile-files.js";
import { openSet, withShippedSet } from "../shipped/open-shipped.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Labels of a new model that are tried. */
export const NEW_MODEL_LABELS: readonly number[] = [100, 300];
/** Ways to choose the prompts that are labelled. */
export const LABEL_CHOICES = ["random", "chosen"] as const;
/** Draws of each, since both are random within a topic. */
export const LABEL_DRAWS = 3;

/** Name of the choices with one model new. */
export const newModelChoice = (column: number, rest: string): string => `new_model/${column}/${rest}`;

/**
 * Each model in turn is new: a set built without it, to which it is added with labels on some training prompts, at random or as
 * `label-next` chooses them, and with labels on all.
 */
export async function measureNewModels(
  context: SeedContext,
  onModel: (done: number, total: number) => void,
): Promise<Findings> {
  const { train } = context;
  if (train.models.length < 3) return {};
  const choices: Record<string, Int16Array> = {};
  for (const column of train.models.keys()) {
    onModel(column, train.models.length);
    await withShippedSet(train, {
      ...context,
      observed: (_, model) => model !== column,
      use: async (folder) => {
        const newcomer = new Newcomer(context, { folder, column, set: await openPlaceableSet(folder) });
        choices[newModelChoice(column, "0")] = await newcomer.routeWithout();
        choices[newModelChoice(column, "all")] = await newcomer.routeWith([...train.prompts.keys()]);
        for (const labels of NEW_MODEL_LABELS) {
          if (labels >= train.prompts.length) continue;
          for (let draw = 0; draw < LABEL_DRAWS; draw++) {
            for (const choice of LABEL_CHOICES) {
              const rows = newcomer[choice](labels, draw);
              choices[newModelChoice(column, `${choice}/${labels}/${draw}`)] = await newcomer.routeWith(rows);
            }
          }
        }
      },
    });
  }
  return { choices };
}

/** A set without a model, to which it is added by different labels. */
class Newcomer {
  readonly #model: string;
  readonly #anchorOfRow: Int32Array;

  constructor(
    private readonly context: SeedContext,
    private readonly from: {
      readonly folder: string;
      readonly column: number;
      readonly set: PlaceableSet;
    },
  ) {
    const { train, name } = context;
    const anchors = new AnchorsByPrompt(from.set.facts.prompt_key);
    this.#model = train.models[from.column] as string;
    this.#anchorOfRow = Int32Array.from(train.prompts, ({ id }) => anchors.find(`${name}:${id}`) ?? -1);
  }

  random(labels: number, draw: number): number[] {
    const random = seededRandom(draw + 1);
    const rows = [...this.context.train.prompts.keys()].map((row) => ({ row, key: random() }));
    return rows
      .sort((a, b) => a.key - b.key)
      .slice(0, labels)
      .map(({ row }) => row);
  }

  chosen(labels: number, draw: number): number[] {
    const pool = this.context.vectors.train;
    const unlabelled = this.#given(noAnswers(this.#model).outcomes);
    return [...choosePrompts(this.from.set, unlabelled, { pool, count: labels, seed: draw }).chosen];
  }

  async routeWithout(): Promise<Int16Array> {
    const { test, signal } = this.context;
    const router = await openSet(this.from.folder, this.context);
    const options = { models: test.models, costWeight: 0, signal };
    return (await routeTexts(router, textsOf(test), options)).selected;
  }

  async routeWith(rows: readonly number[]): Promise<Int16Array> {
    const { folder, set } = this.from;
    const { bytes } = placeNewModel(set, this.#given(this.#outcomesOn(rows)));
    await writeAddedProfile(folder, set.manifest, { model: this.#model, bytes });
    const selected = await this.routeWithout();
    await dropModel(folder, this.#model, { builtIn: "keep" });
    return selected;
  }

  #given(outcomes: ModelOutcomes): GivenModel {
    return { model: this.#model, scores: [], own: [], facts: {}, outcomes };
  }

  #outcomesOn(rows: readonly number[]): ModelOutcomes {
    const { train } = this.context;
    const sorted = rows
      .map((row) => ({ row, anchor: this.#anchorOfRow[row] as number }))
      .filter(({ anchor }) => anchor >= 0)
      .sort((a, b) => a.anchor - b.anchor);
    const column = (table: Float64Array) =>
      Float32Array.from(sorted, ({ row }) => table[row * train.models.length + this.from.column] as number);
    return {
      model: this.#model,
      originalNames: [this.#model],
      anchors: Uint32Array.from(sorted, ({ anchor }) => anchor),
      quality: column(train.quality),
      samples: new Uint16Array(sorted.length).fill(1),
      tokensOut: column(train.tokensOut),
      costUsd: column(train.costUsd),
    };
  }
}
