/**
 * Packages that only some uses need, with the major version that fits: optional peer dependencies in package.json, because
 * they have install scripts that download files from outside the npm registry or need a compiler.
 */
export const OPTIONAL_PACKAGES = {
  "@huggingface/transformers": 4,
  "hnswlib-node": 3,
  "onnxruntime-node": 1,
} as const;
export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

export const installCommand = (name: OptionalPackage): string =>
  `npm install ${name}@${OPTIONAL_PACKAGES[name]}`;

/** Whether an import failed because that package is not installed, and not because of what the package itself needs. */
export function isNotInstalled(error: unknown, name: OptionalPackage): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`);
}
