import { existsSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  encodeManifest,
  MANIFEST_FILE,
  modelFile,
  readManifest,
  readProfiles,
  targetProblem,
  writeSetFolder,
} from "../../engine/index.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import { nearestName } from "../../foundation/nearest-name.js";
import { replaceFile } from "../../foundation/replace-file.js";
import { WorkbenchError } from "../workbench-error.js";

/** Whether the set was built with the model: its manifest lists the file. */
export const isBuiltIn = (manifest: Manifest, model: string): boolean =>
  manifest.files.some(({ path }) => path === modelFile(model));

/** Removes a model's file from the manifest, which lists those of the build; the file itself remains. */
async function unlist(folder: string, manifest: Manifest, { model }: { readonly model: string }) {
  const files = manifest.files.filter(({ path }) => path !== modelFile(model));
  await replaceFile(join(folder, MANIFEST_FILE), encodeManifest({ ...manifest, files }));
}

/** Writes the profile of an added model; a file of the build with that name is removed from the manifest. */
export async function writeAddedProfile(
  folder: string,
  manifest: Manifest,
  { model, bytes }: { readonly model: string; readonly bytes: Uint8Array },
): Promise<string> {
  // In this order the set can be loaded at every moment in between.
  if (isBuiltIn(manifest, model)) await unlist(folder, manifest, { model });
  const path = join(folder, modelFile(model));
  await replaceFile(path, bytes);
  return path;
}

export interface DropOptions {
  /** Whether models of the build may be dropped too. */
  readonly builtIn: "keep" | "drop";
}

/**
 * Takes a model out of a set: the reverse of adding it, to the byte.
 *
 * @returns the path of the removed file
 * @throws WorkbenchError when there is no such model, it came with the set, or it is the only one; ProfileSetError
 */
export async function dropModel(folder: string, model: string, { builtIn }: DropOptions): Promise<string> {
  const manifest = await readManifest(folder);
  const path = join(folder, modelFile(model));
  // None is read: a profile that cannot be used is one to drop.
  const { leftOut: names } = await readProfiles(folder, { manifest, includes: () => false });
  if (!existsSync(path)) {
    throw new WorkbenchError(
      `"${model}" is not a model of set "${manifest.name}"${didYouMean(model, names) || "; see `sextant profile inspect`"}.`,
    );
  }
  const wasBuiltIn = isBuiltIn(manifest, model);
  if (wasBuiltIn && builtIn === "keep") {
    throw new WorkbenchError(
      `"${model}" came with set "${manifest.name}" and was not added to it; use \`builtIn\` to drop it, which only a new ` +
        "build takes back.",
    );
  }
  if (names.length === 1) {
    throw new WorkbenchError(
      `"${model}" is the only model of set "${manifest.name}"; remove the folder instead.`,
    );
  }
  if (wasBuiltIn) await unlist(folder, manifest, { model });
  await rm(path);
  return path;
}

/**
 * Writes a copy of a set without a model, built in or added.
 *
 * @param out a new or an empty folder
 * @throws WorkbenchError as `dropModel`, or when `out` holds something; ProfileSetError
 */
export async function copyWithoutModel(folder: string, model: string, out: string): Promise<void> {
  const problem = await targetProblem(out, { replace: false });
  if (problem !== undefined) throw new WorkbenchError(`\`folder\` ${out} ${problem}.`);
  await writeSetFolder(out, async (draft) => {
    await cp(folder, draft, { recursive: true });
    await dropModel(draft, model, { builtIn: "drop" });
  });
}

/** A hint for an unknown name, to be appended to a sentence. */
export function didYouMean(typed: string, known: readonly string[]): string {
  const nearest = nearestName(typed, known);
  return nearest === undefined ? "" : `; did you mean "${nearest}"`;
}
