import { forEachCooperatively } from "../../foundation/cooperative-batches.js";
import type { MeasuredScore, ScoreSums } from "../estimation/anchor-set.js";
import { encodeRatio } from "../estimation/bills.js";
import { openScoreKernel } from "../estimation/scoring/score-kernel.js";
import type { ScoreMemory } from "../estimation/scoring/score-memory.js";
import { decodeBill, type ModelProfile, UNKNOWN_BILL } from "./model-profile.js";

/** What the scores of a set's models on its anchors are made of; profiles in the order of the columns. */
export interface ScoreRowsInput {
  readonly profiles: readonly Pick<ModelProfile, "observed" | "quality" | "skill" | "bill" | "facts">[];
  readonly anchors: {
    readonly topic: Uint16Array;
    readonly level_quality: Float32Array;
    readonly level_bill?: Float32Array;
  };
}

export interface ScoreRows {
  readonly sums: ScoreSums;
  /** The models that were scored on an anchor, by column. */
  readonly scoresOn: (anchor: number) => MeasuredScore[];
}

/**
 * The rows of a set's scores, each written when a decision first reads it. All of them would take 65 ms of every start and 33 MB
 * (28,000 anchors, 382 models), and traffic is near some of the anchors only. Rows lie in the order of their first use, so that
 * neighbours share pages of memory, of which each takes microseconds when it is first touched. Opened in steps, between which
 * other work of the thread runs.
 */
export async function openScoreRows(scores: ScoreMemory, input: ScoreRowsInput): Promise<ScoreRows> {
  const { cells, shape } = scores;
  const { models } = shape;
  const { profiles, anchors } = input;
  const measured = await measuredByAnchor(profiles, shape.anchors);
  const topics = profiles[0]?.skill.length ?? 0;
  const skillSteps = new Int16Array(topics * models);
  await forEachCooperatively(profiles, ({ skill }, model) => {
    for (let topic = 0; topic < topics; topic++)
      skillSteps[topic * models + model] = oddsSteps(skill[topic] as number);
  });
  const usualSteps = Float64Array.from(
    profiles,
    ({ facts: { bill } }) => ((bill?.smear ?? 1) * 2 ** (bill?.ability ?? 0)) / CODE_PER_STEP,
  );
  /** Writes the scores of the models that were scored on the anchor, and the expectation of the others. */
  const writeRow = (anchor: number, row: number): void => {
    const firstCell = row * models;
    const firstSkill = (anchors.topic[anchor] as number) * models;
    const ease = oddsSteps(anchors.level_quality[anchor] as number) + MIDDLE_STEP;
    const octave =
      anchors.level_bill === undefined ? USUAL_CODE : 2 ** (anchors.level_bill[anchor] as number);
    // Two loops take half the time of one.
    for (let model = 0; model < models; model++)
      cells.quality[firstCell + model] = CODES[(skillSteps[firstSkill + model] as number) + ease] as number;
    for (let model = 0; model < models; model++)
      cells.length[firstCell + model] = billSteps((usualSteps[model] as number) * octave);
    for (let at = measured.starts[anchor] as number; at < (measured.starts[anchor + 1] as number); at++) {
      const cell = firstCell + (measured.column[at] as number);
      cells.quality[cell] = measured.quality[at] as number;
      const bill = measured.bill[at] as number;
      if (bill !== UNKNOWN_BILL) cells.length[cell] = billSteps(decodeBill(bill) / CODE_PER_STEP);
    }
  };
  /** Counted from 1; 0 of an anchor that no decision has read. */
  const rowOf = new Uint32Array(shape.anchors);
  let written = 0;
  const kernel = openScoreKernel(scores);
  return {
    sums: {
      ...kernel,
      sumNeighbours(neighbours, weights) {
        const rows = new Int32Array(neighbours.length);
        for (let entry = 0; entry < rows.length; entry++) {
          const anchor = neighbours[entry] as number;
          if (rowOf[anchor] === 0) {
            writeRow(anchor, written);
            rowOf[anchor] = ++written;
          }
          rows[entry] = (rowOf[anchor] as number) - 1;
        }
        return kernel.sumNeighbours(rows, weights);
      },
    },
    scoresOn(anchor) {
      const [start, end] = [measured.starts[anchor] as number, measured.starts[anchor + 1] as number];
      return Array.from(measured.column.subarray(start, end), (column, at) => ({
        column,
        quality: (measured.quality[start + at] as number) / 255,
      }));
    },
  };
}

/** Measured scores and bills, anchor by anchor and then by column. */
interface MeasuredByAnchor {
  /** Of each anchor in the arrays below; the last is their length, `[anchors + 1]`. */
  readonly starts: Uint32Array;
  readonly column: Uint16Array;
  /** × 255 */
  readonly quality: Uint8Array;
  /** As `BillColumn` has it. */
  readonly bill: Uint16Array;
}

async function measuredByAnchor(
  profiles: ScoreRowsInput["profiles"],
  anchors: number,
): Promise<MeasuredByAnchor> {
  const starts = new Uint32Array(anchors + 1);
  await forEachCooperatively(profiles, ({ observed }) =>
    forEachScored(observed, (anchor) => {
      starts[anchor + 1] = (starts[anchor + 1] as number) + 1;
    }),
  );
  for (let anchor = 0; anchor < anchors; anchor++)
    starts[anchor + 1] = (starts[anchor + 1] as number) + (starts[anchor] as number);
  const total = starts[anchors] as number;
  const next = starts.slice();
  const [column, quality, bill] = [new Uint16Array(total), new Uint8Array(total), new Uint16Array(total)];
  await forEachCooperatively(profiles, (profile, model) => {
    const codes = profile.bill?.codes;
    let entry = 0;
    forEachScored(profile.observed, (anchor) => {
      const at = next[anchor] as number;
      next[anchor] = at + 1;
      column[at] = model;
      quality[at] = profile.quality[entry] as number;
      bill[at] = codes?.[entry] ?? UNKNOWN_BILL;
      entry++;
    });
  });
  return { starts, column, quality, bill };
}

/** Ascending. */
function forEachScored(observed: Uint8Array, visit: (anchor: number) => void): void {
  for (let byte = 0; byte < observed.length; byte++)
    for (let bits = observed[byte] as number; bits !== 0; bits &= bits - 1)
      visit(8 * byte + (31 - Math.clz32(bits & -bits)));
}

/** Resolution of the table of logistic values; computing one for every cell would take five times as long. */
const STEPS_PER_UNIT = 64;
/** Limit of skills and eases in the table; larger values are clamped. */
const LARGEST_ODDS = 8;
const MIDDLE_STEP = 2 * LARGEST_ODDS * STEPS_PER_UNIT;
/** Quality × 255 by the sum of two log-odds in steps, from −16 to 16. */
const CODES = Uint8Array.from({ length: 2 * MIDDLE_STEP + 1 }, (_, step) =>
  Math.round(255 / (1 + Math.exp((MIDDLE_STEP - step) / STEPS_PER_UNIT))),
);

const oddsSteps = (logOdds: number): number =>
  Math.round(Math.min(LARGEST_ODDS, Math.max(-LARGEST_ODDS, logOdds)) * STEPS_PER_UNIT);

/** Rounds to a whole step ≥ 1 where it is stored. @param steps ≥ 0 */
const billSteps = (steps: number): number => Math.min(MOST_STEPS, steps + 0.5);

/** Largest code in memory, a u16. */
const MOST_STEPS = 0xffff;
/** 1 + code of a bill of sixty thousand times the expected one; higher ones are clamped to it. */
const HIGHEST_CODE = 4096;
/** 1 + code of one step of the length cells in memory. */
export const CODE_PER_STEP = HIGHEST_CODE / MOST_STEPS;
/** 1 + code of the expected bill. */
export const USUAL_CODE = 1 + encodeRatio(1);
