import { SectionFileError } from "../../foundation/section-file.js";
import type { ModelProfile } from "./model-profile.js";

/** What the profiles of a set have in common. */
export interface ProfileShape {
  readonly anchors: number;
  readonly topics: number;
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const SHARE: Range = { least: 0, most: 1 };
/** Log-odds, base-2 logarithms, and variances of log-odds: far beyond what a build computes. */
const ODDS: Range = { least: -50, most: 50 };
const VARIANCE: Range = { least: 0, most: 100 };
/** Tokens, or codes of ratios. */
const LENGTH: Range = { least: 0, most: 1e15 };
const FACTOR: Range = { least: 0, most: 1e6 };
/** Rounding of 32-bit floats. */
const SLACK = 1e-6;

/**
 * Checks that a profile fits its set and that all its values are possible, because one value that is not a number would reach
 * the estimates of all models.
 *
 * @param name of the file, for messages
 * @throws ProfileFault that names the field, its value and the remedy
 */
export function checkProfile(profile: ModelProfile, shape: ProfileShape, name: string): void {
  const { facts, skill, table } = profile;
  const range = (field: string, values: ArrayLike<number>, { least, most }: Range): void => {
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      if (!(value >= least - SLACK && value <= most + SLACK))
        throw unusable(name, `${field} has the value ${value}, outside ${least} to ${most}`);
    }
  };
  const length = (field: string, found: number, expected: number): void => {
    if (found !== expected) throw unusable(name, `${field} has ${found} values instead of ${expected}`);
  };
  const scored = countScored(profile, shape, name);
  length("quality", profile.quality.length, scored);
  if (profile.samples !== undefined) length("samples", profile.samples.length, scored);
  length("scored", facts.scored, scored);
  length("skill", skill.length, shape.topics);
  length("table_quality", table.quality.length, shape.topics);
  length("table_coverage", table.coverage.length, shape.topics);
  range("skill", skill, ODDS);
  range("table_quality", table.quality, SHARE);
  range("table_coverage", table.coverage, SHARE);
  range("mean_quality", [facts.mean_quality], SHARE);
  range("overall_quality", [facts.overall_quality], SHARE);
  range("overall_error", [facts.overall_error], SHARE);
  range("general_skill", [facts.general_skill], ODDS);
  range("measured_variance", [facts.measured_variance], VARIANCE);
  range("placed_variance", [facts.placed_variance], VARIANCE);
  range("thinking_tokens", [facts.thinking_tokens], LENGTH);
  range("verbosity", [facts.verbosity], FACTOR);
  if (profile.bill !== undefined) {
    const { codes, table: expected } = profile.bill;
    if (codes !== undefined) length("bill", codes.length, scored);
    length("table_bill", expected.length, shape.topics);
    range("table_bill", expected, LENGTH);
  }
  if (facts.bill !== undefined) {
    range("bill.ability", [facts.bill.ability], ODDS);
    range("bill.smear", [facts.bill.smear], FACTOR);
    range("bill.correction", [facts.bill.correction], FACTOR);
    range("bill.overall", [facts.bill.overall], LENGTH);
  }
}

/** Anchors that the model was scored on. */
function countScored({ observed }: ModelProfile, { anchors }: ProfileShape, name: string): number {
  const bytes = Math.ceil(anchors / 8);
  if (observed.length !== 0 && observed.length !== bytes)
    throw unusable(name, `observed has ${observed.length} values instead of ${bytes}`);
  let scored = 0;
  for (let byte = 0; byte < observed.length; byte++)
    for (let bits = observed[byte] as number; bits !== 0; bits &= bits - 1) scored++;
  const beyond = (observed[bytes - 1] ?? 0) >> (anchors % 8 === 0 ? 8 : anchors % 8);
  if (beyond !== 0) throw unusable(name, `observed marks anchors beyond the ${anchors} of the set`);
  return scored;
}

/** A profile with a value that no set can hold, or that does not fit its set. */
export class ProfileFault extends SectionFileError {
  constructor(
    name: string,
    /** The field and its value, as a clause. */
    readonly fault: string,
  ) {
    super(`${name} cannot be used: ${fault}. Build the profile again, or remove the file.`);
  }
}

const unusable = (name: string, fault: string): ProfileFault => new ProfileFault(name, fault);
