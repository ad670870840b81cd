import { EmbedderLoadError } from "./load-error.js";

/**
 * Packages that only some embedders need, with the major version that fits: optional peer dependencies in package.json,
 * because their install scripts download files that are not in the npm registry, and they take hundreds of megabytes.
 */
export const OPTIONAL_PACKAGES = { "@huggingface/transformers": 4, "onnxruntime-node": 1 } as const;
export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** Whether an import failed because that package is not installed, and not because of what the package itself needs. */
export function isNotInstalled(error: unknown, name: OptionalPackage): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`);
}

/** @param model the folder, file or hub id that was to be opened, as a message names it */
export function notInstalled(name: OptionalPackage, model: string): EmbedderLoadError {
  const command = `npm install ${name}@${OPTIONAL_PACKAGES[name]}`;
  return new EmbedderLoadError(
    `${model} needs the package ${name}, which is not installed with Sextant: run \`${command}\` where Sextant is installed ` +
      "(with --ignore-scripts where only the npm registry can be reached). The shipped embedder does not need it.",
  );
}
