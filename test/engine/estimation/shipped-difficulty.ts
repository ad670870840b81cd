/** The model of difficulty that ships, and what training/difficulty.py says it must compute. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DIFFICULTY_TIERS } from "../../../src/engine/estimation/difficulty-model.js";
import { SHIPPED_MODEL } from "../embedding/tiny-model.js";

export const SHIPPED_DIFFICULTY = join(SHIPPED_MODEL, "difficulty.json");

export interface ExpectedText {
  readonly text: string;
  readonly features: readonly number[];
  readonly estimate: number;
}

/** Written by training/difficulty.py: names of the features, and texts with their features and estimates. */
export function expectedTexts(): {
  readonly names: readonly string[];
  readonly texts: readonly ExpectedText[];
} {
  const { names, texts } = readData("expected-estimates.json") as {
    names: string[];
    texts: { pieces: [string, number][]; features: number[]; estimate: number }[];
  };
  return {
    names,
    texts: texts.map(({ pieces, ...row }) => ({
      ...row,
      text: pieces.map(([piece, times]) => piece.repeat(times)).join(""),
    })),
  };
}

/** Forty prompts of our own that no model was trained on: `[language, kind, prompt]` by tier. */
export function everydayPrompts(): Readonly<
  Record<keyof typeof DIFFICULTY_TIERS, readonly (readonly string[])[]>
> {
  return readData("everyday-prompts.json") as ReturnType<typeof everydayPrompts>;
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}
