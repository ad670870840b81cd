import { z } from "zod";
import {
  type DecodeOptions,
  decodeSections,
  encodeSections,
  type SectionArray,
  SectionFileError,
} from "../../foundation/section-file.js";

/**
 * One model's profile: its scores on the anchors of one set, and its expectations elsewhere. One file,
 * `models/<model>.profile`.
 */
export interface ModelProfile {
  readonly facts: ModelProfileFacts;
  /** One bit per anchor, lowest bit first: whether the model was scored on it. `[⌈anchors / 8⌉]`; empty when on none. */
  readonly observed: Uint8Array;
  /** Quality × 255 per scored anchor, ascending by anchor. */
  readonly quality: Uint8Array;
  /** Scored samples per scored anchor, at most 255; absent when all are 1. */
  readonly samples?: Uint8Array;
  /** Log-odds of solving a prompt of each topic that the average model solves as often as not, `[topics]`. */
  readonly skill: Float32Array;
  /** Expected quality on each topic, and the share of each topic's anchors that the model was scored on. */
  readonly table: { readonly quality: Float32Array; readonly coverage: Float32Array };
  readonly bill?: BillColumn;
}

export const isScored = ({ observed }: Pick<ModelProfile, "observed">, anchor: number): boolean =>
  (((observed[anchor >> 3] ?? 0) >> (anchor & 7)) & 1) === 1;

/** The anchors that the model was scored on, ascending, and its scores in [0, 1]. @param anchors of the set */
export function scoresOf(
  profile: Pick<ModelProfile, "observed" | "quality">,
  anchors: number,
): { readonly anchors: Uint32Array; readonly values: Float32Array } {
  const scored: number[] = [];
  for (let anchor = 0; anchor < anchors; anchor++) if (isScored(profile, anchor)) scored.push(anchor);
  return {
    anchors: Uint32Array.from(scored),
    values: Float32Array.from(profile.quality, (code) => code / 255),
  };
}

/** What answers were billed, as codes (`encodeRatio`) of ratios to the expected bill, as log2(1 + code). */
export interface BillColumn {
  /** log2 × `CODE_SCALE` per scored anchor; `UNKNOWN_BILL` where not measured. Absent when none was. */
  readonly codes?: Uint16Array;
  /** Expected 1 + code on each topic. */
  readonly table: Float32Array;
}

export const UNKNOWN_BILL = 0xffff;

/** log2 codes are stored in steps of 1/2048 octave. */
const CODE_SCALE = 2048;

const billFacts = z.object({
  /** Effect of the model on log2(1 + code). */
  ability: z.number(),
  /** Ratio of the mean of 1 + code to its expectation from ability and the prompts' levels. */
  smear: z.number().positive(),
  /** Expected 1 + code of a prompt unlike all anchors. */
  overall: z.number().positive(),
  /** Factor on 1 + code that makes the sum of expected bills that of the measured ones in leave-one-out. */
  correction: z.number().positive(),
  /** What the ratios refer to: dollars per million tokens, and whether it is the model's list price. */
  price: z.object({ input: z.number().nonnegative(), output: z.number().nonnegative() }),
  listed: z.boolean(),
  /** Whether dollars were recorded; else the bills follow from tokens. */
  paid: z.boolean(),
  /** What a task of an agent cost, in tokens at the geometric mean of the prices of prompt and answer; absent where unknown. */
  agent_tokens: z.number().positive().optional(),
});

const spread = z.number().nonnegative();
const serviceFacts = z.object({
  calls: z.object({ answers: z.int().nonnegative(), failures: z.int().nonnegative() }).optional(),
  whole: z
    .object({ base_ms: z.number().nonnegative(), ms_per_token: z.number().nonnegative(), spread })
    .optional(),
  first_token: z.object({ ms: z.number().nonnegative(), spread }).optional(),
});

const publishedSource = z.object({
  benchmark: z.string(),
  source: z.string(),
  /** ISO 8601, to the day or the month; null when the source gives none. */
  date: z.string().nullable(),
});

const factsSchema = z.object({
  model: z.string().min(1),
  original_names: z.array(z.string()).min(1),
  /** SHA-256 of the `anchors.bin` it belongs to. */
  anchors_sha256: z.string(),
  scored: z.int().nonnegative(),
  mean_quality: z.number(),
  benchmarks: z.record(z.string(), z.int()),
  /** Published scores the model was placed by, without their values. */
  published: z.array(publishedSource),
  /** The model of the set that its expectation follows, because it has few answers of its own; absent when it has enough. */
  relative: z
    .object({
      model: z.string().min(1),
      /** Level of thinking above the relative's: 1 from none to `high`. */
      levels: z.number().min(-2).max(2),
      /** Releases after the relative. */
      generations: z.int().min(-1).max(1),
    })
    .optional(),
  /** The release before it, to whose level its skills were raised, because nothing shows that it is worse; absent when they were not. */
  predecessor: z.string().min(1).optional(),
  /** Graded answers to prompts that are not anchors, used to place an added model; absent when there are none. */
  own_answers: z.int().positive().optional(),
  /** Over all topics, weighted by the square root of their source's size; and its standard error. */
  overall_quality: z.number(),
  overall_error: z.number(),
  /** Mean of the skills over topics: the expectation on an out-of-distribution prompt of ease 0; log-odds. */
  general_skill: z.number(),
  /** Variance of the skill on topics the model was scored on, and on others, log-odds. */
  measured_variance: z.number().positive(),
  placed_variance: z.number().positive(),
  /** Hidden reasoning tokens on a prompt of medium difficulty. */
  thinking_tokens: z.number().nonnegative(),
  /** Factor on the visible length of answers. */
  verbosity: z.number().positive(),
  bill: billFacts.optional(),
  /** Absent where neither times nor failures were recorded. */
  service: serviceFacts.optional(),
});

type ModelProfileFacts = z.infer<typeof factsSchema>;

export function encodeModelProfile(profile: ModelProfile): Uint8Array {
  const sections: Record<string, SectionArray> = {
    observed: profile.observed,
    quality: profile.quality,
    skill: profile.skill,
    table_quality: profile.table.quality,
    table_coverage: profile.table.coverage,
  };
  if (profile.samples !== undefined) sections.samples = profile.samples;
  if (profile.bill !== undefined) {
    sections.table_bill = profile.bill.table;
    if (profile.bill.codes !== undefined) sections.bill = profile.bill.codes;
  }
  return encodeSections({ facts: profile.facts, sections });
}

/**
 * @param name of the file, for messages
 * @param options as `decodeSections` has them
 * @throws SectionFileError when the file is damaged or incomplete
 */
export function decodeModelProfile(bytes: Uint8Array, name: string, options?: DecodeOptions): ModelProfile {
  const { facts: read, sections } = decodeSections(bytes, name, options);
  // Who wrote the checksum checked the file: a schema over hundreds of profiles takes a tenth of a start.
  const facts = options?.isVerified === true ? (read as ModelProfileFacts) : checkedFacts(read, name);
  const samples = sections.samples as Uint8Array | undefined;
  const table = sections.table_bill as Float32Array | undefined;
  const codes = sections.bill as Uint16Array | undefined;
  return {
    facts,
    observed: section(sections, { key: "observed", name }) as Uint8Array,
    quality: section(sections, { key: "quality", name }) as Uint8Array,
    skill: section(sections, { key: "skill", name }) as Float32Array,
    table: {
      quality: section(sections, { key: "table_quality", name }) as Float32Array,
      coverage: section(sections, { key: "table_coverage", name }) as Float32Array,
    },
    ...(samples === undefined ? {} : { samples }),
    ...(table === undefined ? {} : { bill: { table, ...(codes === undefined ? {} : { codes }) } }),
  };
}

function checkedFacts(facts: unknown, name: string): ModelProfileFacts {
  const parsed = factsSchema.safeParse(facts);
  if (parsed.success) return parsed.data;
  throw new SectionFileError(`${name} is not a model profile: ${z.prettifyError(parsed.error)}`);
}

function section(
  sections: Readonly<Record<string, SectionArray>>,
  { key, name }: { readonly key: string; readonly name: string },
): SectionArray {
  const found = sections[key];
  if (found === undefined) throw new SectionFileError(`${name} lacks the section "${key}". Build it again.`);
  return found;
}

/** File name of a model's profile: safe on every file system, one to one, readable for ordinary ids. */
export function profileFileName(model: string): string {
  const escaped = Array.from(model, (character) =>
    /[a-z0-9._-]/.test(character) ? character : `%${(character.codePointAt(0) as number).toString(16)}%`,
  ).join("");
  return escaped.startsWith(".") ? `%2e%${escaped.slice(1)}` : escaped;
}

/** The model of a profile file: the inverse of `profileFileName`. */
export function modelOfFileName(name: string): string {
  return name.replaceAll(/%([0-9a-f]+)%/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

/** The code of a bill's ratio (≥ 0) → stored steps of log2(1 + code); NaN → `UNKNOWN_BILL`. */
export function encodeBill(code: number): number {
  if (Number.isNaN(code)) return UNKNOWN_BILL;
  return Math.min(UNKNOWN_BILL - 1, Math.round(Math.log2(1 + code) * CODE_SCALE));
}

/** Decodes `encodeBill` to 1 + code. */
export function decodeBill(steps: number): number {
  return (OCTAVE[steps % CODE_SCALE] as number) * 2 ** Math.floor(steps / CODE_SCALE);
}

const OCTAVE = Float64Array.from({ length: CODE_SCALE }, (_, step) => 2 ** (step / CODE_SCALE));
