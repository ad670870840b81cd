/** Models with planted chances, compared by a running gateway, and whether it found what was planted. */
import type { Figure } from "../../bench/report/result.js";
import type { PlantedModel } from "./planted-models.js";
import type { PlantedQuality } from "./simulate.js";
import { compareThroughGateway } from "./through-gateway.js";

/** Share of the questions that the served model answers wrong. */
const WRONG = 0.1;

export interface WorldOptions extends PlantedQuality {
  readonly questions: number;
  /** Models of that quality, each with answers of its own. */
  readonly models: number;
}

export interface WorldFindings {
  /** Models of which the gateway said that they are worse, and better. */
  readonly saidWorse: number;
  readonly saidBetter: number;
  /** Comparisons whose result was not the planted one, were not made or not blind, over all models. */
  readonly wrong: number;
  readonly seconds: number;
}

interface Counts {
  wins: number;
  losses: number;
}

export async function findPlanted(
  { win, loss, questions, models }: WorldOptions,
  random: () => number,
): Promise<WorldFindings> {
  const drawn = (isSo: (question: number) => boolean): PlantedModel => {
    const answers = Array.from({ length: questions + 1 }, (_, question) => isSo(question));
    return (question) => answers[question] === true;
  };
  const served = drawn(() => random() >= WRONG);
  const others: ReadonlyMap<string, PlantedModel> = new Map(
    Array.from({ length: models }, (_, number) => {
      const differs = (question: number) => random() < (served(question) ? loss / (1 - WRONG) : win / WRONG);
      return [`planted-${number + 1}`, drawn((question) => served(question) !== differs(question))] as const;
    }),
  );
  const startedMs = performance.now();
  const { comparisons, notBlind } = await compareThroughGateway({ questions, served, others });
  const seconds = (performance.now() - startedMs) / 1000;
  const wrongOf = ({ name, ...found }: (typeof comparisons)[number]): number => {
    const planted: Counts = { wins: 0, losses: 0 };
    for (let question = 1; question <= questions; question += 1) {
      const [isServedRight, isOtherRight] = [served(question), others.get(name)?.(question)];
      if (isOtherRight === isServedRight) continue;
      planted[isServedRight ? "losses" : "wins"] += 1;
    }
    const unmade = questions - found.comparisons;
    return unmade + Math.abs(found.wins - planted.wins) + Math.abs(found.losses - planted.losses);
  };
  const said = (verdict: string) => comparisons.filter((one) => one.verdict === verdict).length;
  const wrong = comparisons.reduce((sum, one) => sum + wrongOf(one), notBlind.length);
  return { saidWorse: said("worse"), saidBetter: said("better"), wrong, seconds };
}

export function worldFigures(id: string, { models }: WorldOptions, found: WorldFindings): readonly Figure[] {
  const figure = (name: string, value: number): Figure => ({
    ...{ id: `comparisons/gateway/${id.replaceAll(/[^a-z0-9]+/g, "-")}/${name}`, value },
    ...{ label: `through a gateway, ${id}, ${models} models: ${name}`, unit: "count", better: "lower" },
  });
  return [
    figure("said-worse", found.saidWorse),
    figure("said-better", found.saidBetter),
    { ...figure("not-as-planted", found.wrong), goal: 0 },
  ];
}
