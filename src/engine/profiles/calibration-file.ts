import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { PARSE_ONCE } from "../../foundation/parse-once.js";
import { replaceFile } from "../../foundation/replace-file.js";
import {
  decodeSections,
  encodeSections,
  type SectionFile,
  SectionFileError,
} from "../../foundation/section-file.js";
import type { StoredCalibration } from "../estimation/anchor-set.js";
import { CALIBRATION_FILE } from "./manifest.js";

const factsSchema = z.object({
  /** Version of the files of the set that it was computed on. */
  files_version: z.string(),
  models: z.array(z.object({ model: z.string(), basis: z.string() })),
  best: z.string(),
});
type Facts = z.infer<typeof factsSchema>;

/** Of what the checksum of the sections does not cover: the facts, and how many values each section has. */
function checksumOf({ files_version, models, best }: Facts, sections: SectionFile["sections"]): string {
  const lengths = Object.entries(sections).map(([name, { length }]) => [name, length]);
  const pairs = models.map(({ model, basis }) => [model, basis]);
  return createHash("sha256")
    .update(JSON.stringify([files_version, pairs, best, lengths]))
    .digest("hex");
}

/** Writes what a set's calibration needs into its folder. The set's other files, its checksums and its version stay as they are. */
export async function saveCalibration(
  folder: string,
  { models, best, starts, model, quality, costUsd }: StoredCalibration,
  filesVersion: string,
): Promise<void> {
  const facts = { files_version: filesVersion, models: [...models], best };
  const sections = { starts, model, quality, cost_usd: costUsd };
  const signed = { ...facts, sha256: checksumOf(facts, sections) };
  await replaceFile(join(folder, CALIBRATION_FILE), encodeSections({ facts: signed, sections }));
}

interface ReadCalibration {
  readonly calibration: StoredCalibration | null;
  /** Why the file that is there is not used, as the end of a sentence; null where it is used, or absent. */
  readonly problem: string | null;
}

/** Never throws for what the file holds: what it spares can be computed anew. */
export async function readCalibration(folder: string, filesVersion: string): Promise<ReadCalibration> {
  const path = join(folder, CALIBRATION_FILE);
  if (!existsSync(path)) return { calibration: null, problem: null };
  try {
    const read = decoded(await readFile(path));
    return read.filesVersion === filesVersion
      ? { calibration: read.calibration, problem: null }
      : { calibration: null, problem: "is of other files of the set" };
  } catch (fault) {
    if (!(fault instanceof SectionFileError)) throw fault;
    return { calibration: null, problem: "is damaged, or of another version" };
  }
}

/** @throws SectionFileError when it is damaged */
function decoded(bytes: Uint8Array): {
  readonly filesVersion: string;
  readonly calibration: StoredCalibration;
} {
  const { facts, sections } = decodeSections(bytes, CALIBRATION_FILE);
  const parsed = factsSchema.safeParse(facts, PARSE_ONCE);
  const { starts, model, quality, cost_usd: costUsd } = sections;
  const isWhole =
    parsed.success &&
    facts.sha256 === checksumOf(parsed.data, sections) &&
    starts instanceof Uint32Array &&
    model instanceof Uint16Array &&
    quality instanceof Float64Array &&
    costUsd instanceof Float32Array;
  if (!isWhole) throw new SectionFileError(`${CALIBRATION_FILE} is damaged.`);
  const { models, best, files_version: filesVersion } = parsed.data;
  return { filesVersion, calibration: { models, best, starts, model, quality, costUsd } };
}
