import { type ChosenWeight, chooseWeight } from "../../evaluation/choose-weight.js";
import type { EvaluatedSweep, Evaluation } from "../../evaluation/evaluate.js";
import { CHART, plane } from "./axes.js";
import { at, escaped, percent, quality, usd } from "./markup.js";

/** What a report shows of prompts that the set was not built with. */
export interface HeldOut {
  readonly evaluation: Evaluation;
  /** Cost weights by how many points of quality they may lose against the best that is reached; empty without costs. */
  readonly weights: readonly { readonly maxLoss: number; readonly chosen: ChosenWeight }[];
}

/** Points of quality that recommended cost weights may lose. */
const LOSSES = [0, 0.01, 0.02, 0.05];

/** An evaluation with the cost weights to recommend. */
export function withWeights(
  { evaluation, sweep }: EvaluatedSweep,
  { seed }: { readonly seed: number },
): HeldOut {
  const losses = sweep.costWeights.length === 0 ? [] : LOSSES;
  return {
    evaluation,
    weights: losses.map((maxLoss) => ({ maxLoss, chosen: chooseWeight(sweep, { maxLoss }, { seed }) })),
  };
}

export function heldOutSection({ evaluation, weights }: HeldOut): string {
  const { gain, best, prompts, knownPrompts } = evaluation;
  const known =
    knownPrompts === 0 ? "" : ` ${knownPrompts} more were left out, as the set was built with them.`;
  const frontier = evaluation.sweep.length === 0 ? NO_COSTS : frontierFigure(evaluation, weights);
  return `<section aria-labelledby="held-out-title">
<h2 id="held-out-title">On ${prompts} held-out prompts</h2>
<p class="note">At cost weight ${evaluation.costWeight}, decisions are ${points(gain.value)} points [${points(gain.low)}, ${points(gain.high)}] against always
${escaped(best)}, the best single model on these prompts; brackets hold 95 % of 1,000 bootstrap draws.${known}</p>
<div class="charts">${frontier}${calibrationFigure(evaluation)}</div>
${weights.length === 0 ? "" : weightTable(weights)}
</section>`;
}

const NO_COSTS =
  '<p class="note">The cost of fewer than two models is known, so that there is no frontier to draw. Add cost_usd to the outcomes.</p>';

const points = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(2)}`;

type Single = Evaluation["models"][number] & { readonly costUsd: number };

/** Costs are shown of so many prompts. */
const PROMPTS_A_COST = 1000;

function frontierFigure({ sweep, models }: Evaluation, weights: HeldOut["weights"]): string {
  const known = models.filter((model): model is Single => model.costUsd !== null);
  const reached = sweep.map((step) => step.quality);
  const [least, most] = [Math.min(...reached), Math.max(...reached)];
  const low = least - Math.max(0.05, most - least);
  // A model far below would press the curve flat.
  const singles = known.filter((model) => model.quality >= low);
  const [bottom, top] = padded(Math.min(least, ...singles.map((model) => model.quality)), most);
  const costs = [...sweep, ...singles].map(({ costUsd }) => costUsd * PROMPTS_A_COST);
  const { x, y, markup } = plane(
    { low: 0, high: 1.04 * Math.max(...costs), label: "cost of 1,000 prompts", format: usd },
    {
      low: bottom,
      high: Math.max(top, ...singles.map((model) => model.quality + 0.01)),
      label: "quality",
      format: (value) => String(Number(value.toFixed(3))),
    },
  );
  const place = (point: { readonly costUsd: number; readonly quality: number }) => ({
    left: x(point.costUsd * PROMPTS_A_COST),
    top: y(point.quality),
  });
  const path = sweep
    .map(place)
    .map(({ left, top: height }, step) => `${step === 0 ? "M" : "L"}${at(left)} ${at(height)}`)
    .join("");
  const dots = sweep.map((step) =>
    circle(place(step), {
      ...{ kind: "point", radius: 3 },
      title: `cost weight ${step.costWeight}: quality ${quality(step.quality)}, ${usd(step.costUsd)} a prompt`,
    }),
  );
  const alone = singles.map((model) =>
    circle(place(model), {
      ...{ kind: "single", radius: 4.5 },
      title: `always ${model.model}: quality ${quality(model.quality)}, ${usd(model.costUsd)} a prompt`,
    }),
  );
  const names = labelsOf(singles.map((model) => ({ ...place(model), text: model.model })));
  const recommended = sweep
    .filter(({ costWeight }) => weights.some(({ chosen }) => chosen.costWeight === costWeight))
    .map((step) =>
      circle(place(step), {
        ...{ kind: "chosen", radius: 5.5 },
        title: `recommended: cost weight ${step.costWeight}`,
      }),
    );
  const below = known.length - singles.length;
  return `<figure><h3>Cost and quality</h3>
<svg viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="Cost and quality along the cost weight, against single models">${markup}${alone.join("")}${names}<path class="curve" d="${path}"/>${dots.join("")}${recommended.join("")}</svg>
<figcaption>The line is the router along its cost weight, from 0 at the right to 1 at the left; circles are single models; orange are the recommended cost weights below.${below === 0 ? "" : ` ${below} model${below === 1 ? " is" : "s are"} further below and not drawn.`}</figcaption></figure>`;
}

interface Position {
  readonly left: number;
  readonly top: number;
}

const circle = (
  { left, top }: Position,
  { kind, radius, title }: { readonly kind: string; readonly radius: number; readonly title: string },
): string =>
  `<circle class="${kind}" cx="${at(left)}" cy="${at(top)}" r="${radius}"><title>${escaped(title)}</title></circle>`;

/** Width of a character, and height of a line, in the chart's units. */
const [CHARACTER, LINE] = [6.6, 14];
const LONGEST_LABEL = 26;

/** Names beside their points; one that would cover another is left out, and is in the point's title alone. */
function labelsOf(points: readonly (Position & { readonly text: string })[]): string {
  const taken: { readonly from: number; readonly to: number; readonly top: number }[] = [];
  return points
    .map(({ left, top, text }) => {
      const name = text.length > LONGEST_LABEL ? `${text.slice(0, LONGEST_LABEL - 1)}…` : text;
      const isRight = left > 0.6 * CHART.width;
      const width = name.length * CHARACTER;
      const [from, to] = isRight ? [left - 9 - width, left - 9] : [left + 9, left + 9 + width];
      if (taken.some((other) => Math.abs(other.top - top) < LINE && from < other.to && to > other.from))
        return "";
      taken.push({ from, to, top });
      return `<text x="${at(isRight ? to : from)}" y="${at(top + 4)}" text-anchor="${isRight ? "end" : "start"}">${escaped(name)}</text>`;
    })
    .join("");
}

function padded(low: number, high: number): readonly [number, number] {
  const space = Math.max(0.01, 0.08 * (high - low));
  return [Math.max(0, low - space), Math.min(1, high + space)];
}

function calibrationFigure({ calibration }: Evaluation): string {
  const unit = { low: 0, high: 1, format: (value: number) => String(value) };
  const { x, y, markup } = plane({ ...unit, label: "expected quality" }, { ...unit, label: "quality seen" });
  const dots = calibration.bins.map(({ expected, seen, count }) =>
    circle(
      { left: x(expected), top: y(seen) },
      {
        ...{ kind: "point", radius: 4.5 },
        title: `expected ${quality(expected)}, seen ${quality(seen)}, ${count} answers`,
      },
    ),
  );
  return `<figure><h3>Calibration</h3>
<svg viewBox="0 0 ${CHART.width} ${CHART.height}" role="img" aria-label="Expected quality against quality seen">${markup}<line class="ideal" x1="${at(x(0))}" y1="${at(y(0))}" x2="${at(x(1))}" y2="${at(y(1))}"/>${dots.join("")}</svg>
<figcaption>Answers of all models in groups of equal size by expected quality: on the dashed line expectations hold. Mean distance ${calibration.error.toFixed(3)};
perfect expectations would show ${calibration.ifPerfect.toFixed(3)} on as many prompts.</figcaption></figure>`;
}

function weightTable(weights: HeldOut["weights"]): string {
  const rows = weights.map(({ maxLoss, chosen }) => {
    const goal = maxLoss === 0 ? "no loss" : `at most ${100 * maxLoss} point${maxLoss === 0.01 ? "" : "s"}`;
    const { costWeight, gain, saved, costUsd, onOtherPrompts } = chosen;
    if (costWeight === null || gain === null || saved === null || costUsd === null)
      return `<tr><th scope="row">${goal}</th><td colspan="4" class="muted">no cost weight keeps to it on these prompts</td></tr>`;
    const later =
      onOtherPrompts === null
        ? "–"
        : `${points(onOtherPrompts.gain)} points, ${percent(onOtherPrompts.saved)} saved`;
    return `<tr><th scope="row">${goal}</th><td class="number">${costWeight}</td><td class="number">${points(gain.value)}</td><td class="number">${percent(saved.value)}</td><td class="number">${later}</td></tr>`;
  });
  return `<h3 class="after">Recommended cost weights</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Recommended cost weights"><table class="wide"><thead><tr><th scope="col">quality to lose against the best that is reached</th><th scope="col" class="number">cost weight</th>
<th scope="col" class="number">points</th><th scope="col" class="number">saved</th><th scope="col" class="number">on prompts it was not chosen by</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
