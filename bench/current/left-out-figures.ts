import { bootstrapInterval } from "../evidence/bootstrap.js";
import { figureOf } from "../evidence/figure.js";
import type { Figure } from "../report/result.js";
import { mean } from "../report/statistics.js";
import { type LeftOutModels, PLACED_BY, type PlacedBy } from "./left-out-models.js";

const LABEL: Readonly<Record<PlacedBy, string>> = {
  own_means: "its benchmark and category means",
  five_others: "five benchmarks that are not the set's",
};
const GAIN_GOAL: Readonly<Record<PlacedBy, number>> = { own_means: 0.95, five_others: 0.7 };
const APGR_GOAL = -0.01;

/** Share of the gain over the best single model, and of APGR, that is kept with placed instead of labelled models. */
export function leftOutFigures(found: LeftOutModels): Figure[] {
  const { set, full, best } = found;
  const path = (rest: string): string => `current/left_out_models/${set}/${rest}`;
  const gain = gainFigure(path("full/gain"), {
    label: `${set}: gain over best single, full labels`,
    full,
    best,
  });
  return [gain, ...PLACED_BY.flatMap((by) => placedFigures(found, by, { path }))];
}

function gainFigure(
  id: string,
  {
    label,
    full,
    best,
  }: { readonly label: string; readonly full: readonly number[]; readonly best: readonly number[] },
): Figure {
  const differences = full.map((quality, prompt) => 100 * (quality - (best[prompt] as number)));
  return figureOf({
    ...{ id, label, unit: "points", better: "higher", missing: "no test prompts" },
    value: mean(differences),
    interval: bootstrapInterval([differences], ([drawn = []]) => mean(drawn)),
  });
}

function placedFigures(
  { set, models, full, best, placed }: LeftOutModels,
  by: PlacedBy,
  { path }: { readonly path: (rest: string) => string },
): Figure[] {
  const result = placed[by];
  const note = `${result.models} of ${models} models placed`;
  const kept = (name: "one" | "all", qualities: readonly number[]): Figure => {
    const prompts = full.map((quality, prompt) => ({
      full: quality - (best[prompt] as number),
      placed: (qualities[prompt] as number) - (best[prompt] as number),
    }));
    const share = (drawn: readonly (typeof prompts)[number][]): number => {
      const gained = mean(drawn.map((gain) => gain.full));
      return gained > 0 ? mean(drawn.map((gain) => gain.placed)) / gained : Number.NaN;
    };
    const all = result.models === 0 ? Number.NaN : share(prompts);
    return figureOf({
      id: path(`${by}/gain_kept_${name}`),
      label: `${set}: gain kept, ${name === "one" ? "one model" : "every model"} placed by ${LABEL[by]}`,
      ...{ unit: "share", better: "higher", value: all, note },
      ...(name === "one" ? { goal: GAIN_GOAL[by] } : {}),
      interval: Number.isNaN(all) ? undefined : bootstrapInterval([prompts], ([drawn = []]) => share(drawn)),
      missing:
        result.models === 0
          ? "no model could be placed"
          : "full labels gain nothing over the best single model",
    });
  };
  const apgr = (side: "full" | "placed") => mean(result.pairs.map((pair) => pair[side]));
  const differences = result.pairs.map((pair) => pair.placed - pair.full);
  const missing = "no pair of placed models lies five points apart";
  return [
    kept("one", result.oneAtATime),
    kept("all", result.all),
    figureOf({
      ...{
        id: path(`${by}/apgr_full`),
        label: `${set}: APGR of the ${result.pairs.length} pairs, full labels`,
        unit: "score",
      },
      ...{ better: "higher", value: apgr("full"), missing },
    }),
    figureOf({
      ...{ id: path(`${by}/apgr`), label: `${set}: APGR of the pairs, both placed by ${LABEL[by]}` },
      ...{ unit: "score", better: "higher", value: apgr("placed"), missing },
    }),
    figureOf({
      ...{
        id: path(`${by}/apgr_change`),
        label: `${set}: APGR by ${LABEL[by]} minus full labels`,
        unit: "score",
      },
      ...{ better: "higher", value: mean(differences), missing },
      ...(by === "own_means" ? { goal: APGR_GOAL } : {}),
      interval: bootstrapInterval([differences], ([drawn = []]) => mean(drawn)),
      note: "interval over pairs",
    }),
    figureOf({
      ...{
        id: path(`${by}/apgr_kept`),
        label: `${set}: APGR above .5 kept by ${LABEL[by]}`,
        unit: "share",
        better: "higher",
      },
      value: (apgr("placed") - 0.5) / (apgr("full") - 0.5),
      interval: bootstrapInterval([result.pairs], ([drawn = []]) => {
        const over = mean(drawn.map((pair) => pair.full)) - 0.5;
        return over > 0 ? (mean(drawn.map((pair) => pair.placed)) - 0.5) / over : Number.NaN;
      }),
      ...(by === "five_others" ? { goal: GAIN_GOAL.five_others } : {}),
      missing,
    }),
  ];
}
