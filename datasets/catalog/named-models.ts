/** Names of chat models that the newest packages of vendors and price lists have. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { knownModel } from "../../src/engine/catalog/deployments/model-names.js";
import { isRetired } from "../../src/engine/catalog/models/retirements.js";
import { findListedAt } from "../../src/engine/catalog/prices/prices.js";
import { isNoChat } from "./merge-records.js";

export interface NamedModel {
  readonly provider: string;
  readonly name: string;
  /** Package that names it. */
  readonly source: string;
}

interface Sdk {
  readonly provider: string;
  readonly package: string;
  readonly file: string;
  readonly type: RegExp;
}

/** Where a vendor's SDK names its models: file in the package, and what stands around the names. */
export const SDKS: readonly Sdk[] = [
  { provider: "openai", package: "openai", file: "resources/shared.d.ts", type: /ChatModel = ([^;]+);/ },
  {
    provider: "anthropic",
    package: "@anthropic-ai/sdk",
    file: "resources/messages/messages.d.ts",
    type: /export type Model = ([^;]+);/,
  },
  { provider: "google", package: "@google/genai", file: "dist/genai.d.ts", type: /(.*)/s },
];

const NAMES = /['"`]((?:gpt|o\d|claude|gemini)-[a-z0-9.-]+)['"`]/g;

/** @throws an Error where the package no longer has the type: the check must then be told where the names are */
export function modelsOfSdk(
  { provider, package: name, file, type }: Sdk,
  folder: string,
): readonly NamedModel[] {
  const [, text] = type.exec(readFileSync(join(folder, file), "utf8")) ?? [];
  const names = [...(text ?? "").matchAll(NAMES)].map(([, model]) => model as string);
  if (names.length === 0) throw new Error(`${name}: ${file} names no models where they were`);
  return [...new Set(names)].map((model) => ({ provider, name: model, source: name }));
}

/** Names in the types that are no model for everybody: by invitation alone, or never offered (a guess). */
const NOT_OFFERED = /^claude-mythos-|^gpt-5\.1-mini$/;

/** Those that the catalog lacks, among its models, its prices and what is retired on a day. */
export const missingModels = (models: readonly NamedModel[], at: Date): readonly NamedModel[] =>
  models.filter(
    ({ provider, name }) =>
      !isNoChat(name) &&
      !NOT_OFFERED.test(name) &&
      knownModel(name, provider).entry === undefined &&
      findListedAt(provider, name, { at }) === null &&
      !isRetired(provider, name, at),
  );
