import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { decodeSections, encodeSections } from "../../foundation/section-file.js";
import type { StoredCalibration } from "../estimation/anchor-set.js";
import { CALIBRATION_FILE } from "./manifest.js";
import { replaceFile } from "./replace-file.js";

const factsSchema = z.object({
  /** Version of the files of the set that it was computed on. */
  files_version: z.string(),
  models: z.array(z.object({ model: z.string(), basis: z.string() })),
  best: z.string(),
});

/** Writes what a set's calibration needs into its folder. The set's other files, its checksums and its version stay as they are. */
export async function saveCalibration(
  folder: string,
  { models, best, starts, model, quality, costUsd }: StoredCalibration,
  filesVersion: string,
): Promise<void> {
  const facts = { files_version: filesVersion, models, best };
  const sections = { starts, model, quality, cost_usd: costUsd };
  await replaceFile(join(folder, CALIBRATION_FILE), encodeSections({ facts, sections }));
}

/** @returns null where there is none, or one of other files of the set or of another version @throws SectionFileError when it is damaged */
export async function readCalibration(
  folder: string,
  filesVersion: string,
): Promise<StoredCalibration | null> {
  const path = join(folder, CALIBRATION_FILE);
  if (!existsSync(path)) return null;
  const { facts, sections } = decodeSections(await readFile(path), CALIBRATION_FILE);
  const parsed = factsSchema.safeParse(facts);
  const { starts, model, quality, cost_usd: costUsd } = sections;
  const isUsable =
    parsed.success &&
    parsed.data.files_version === filesVersion &&
    starts instanceof Uint32Array &&
    model instanceof Uint16Array &&
    quality instanceof Float64Array &&
    costUsd instanceof Float32Array;
  if (!isUsable) return null;
  const { models, best } = parsed.data;
  return { models, best, starts, model, quality, costUsd };
}
