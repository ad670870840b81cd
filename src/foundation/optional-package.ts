import { createRequire } from "node:module";

/**
 * Packages that only some uses need, with the version that fits: optional peer dependencies in package.json, because
 * they have install scripts that download files from outside the npm registry, need a compiler, or would be a large part of an
 * installation that most do not use.
 */
export const OPTIONAL_PACKAGES = {
  "@aws-sdk/credential-provider-node": "3",
  "@azure/identity": "4",
  "@huggingface/transformers": "4",
  "@opentelemetry/api": "1.9",
  "@opentelemetry/core": "2",
  "@opentelemetry/exporter-trace-otlp-http": "0.223",
  "@opentelemetry/resources": "2",
  "@opentelemetry/sdk-trace-base": "2",
  "@smithy/signature-v4": "5",
  "google-auth-library": "10",
  "hnswlib-node": "3",
} as const;
export type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** Packages that spans are made and exported with. */
export const TELEMETRY_PACKAGES = [
  "@opentelemetry/api",
  "@opentelemetry/core",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/exporter-trace-otlp-http",
] as const satisfies readonly OptionalPackage[];

export const installCommand = (...names: readonly OptionalPackage[]): string =>
  `npm install ${names.map((name) => `${name}@${OPTIONAL_PACKAGES[name]}`).join(" ")}`;

/** Whether an import failed because that package is not installed, and not because of what the package itself needs. */
export function isNotInstalled(error: unknown, name: OptionalPackage): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes(`'${name}'`);
}

const { resolve } = createRequire(import.meta.url);

/** Whether a package can be imported from here. */
export function isInstalled(name: OptionalPackage): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** A package that may not be installed, typed by what is used of it. Loaded once. */
export const importOptional = <Library>(name: OptionalPackage): Promise<Library> =>
  import(/* @vite-ignore */ name) as Promise<Library>;
