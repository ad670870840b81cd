/**
 * Makes `outcomes.jsonl`: invented scores of invented models on the prompts beside it, for tests and examples. Nothing
 * here was measured. Run by `npx tsx datasets/sample/score-sample.ts`; the same file comes out every time.
 *
 * The rule: model m answers prompt p rightly when `ability(m, kind of p) − demand(p) + luck(m, p) > 0.5`, where
 * `demand` is 0 for a plain prompt and 0.3 for a demanding one, plus up to 0.2 drawn from the prompt alone, so that
 * prompts are hard for all models together, and `luck` is drawn from ±0.2. Draws are hashes of the seed and the ids.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const SEED = "sextant-sample-1";

const KINDS = ["sums", "code", "translation", "chat"] as const;
type Kind = (typeof KINDS)[number];

interface SampleModel {
  readonly name: string;
  readonly ability: Readonly<Record<Kind, number>>;
  readonly usdPerMillionTokens: { readonly input: number; readonly output: number };
  /** How long its answers are, as a multiple of what the kind of prompt asks for. */
  readonly length: number;
}

const MODELS: readonly SampleModel[] = [
  {
    name: "sample-large",
    ability: { sums: 0.98, code: 0.8, translation: 0.95, chat: 0.95 },
    usdPerMillionTokens: { input: 5, output: 20 },
    length: 1.4,
  },
  {
    name: "sample-medium",
    ability: { sums: 0.72, code: 0.68, translation: 0.8, chat: 0.95 },
    usdPerMillionTokens: { input: 0.8, output: 3 },
    length: 1.1,
  },
  {
    name: "sample-coder",
    ability: { sums: 0.75, code: 1.05, translation: 0.6, chat: 0.6 },
    usdPerMillionTokens: { input: 1, output: 4 },
    length: 1,
  },
  {
    name: "sample-small",
    ability: { sums: 0.6, code: 0.5, translation: 0.65, chat: 0.85 },
    usdPerMillionTokens: { input: 0.1, output: 0.3 },
    length: 0.7,
  },
];

/** Tokens an answer needs, by kind of prompt. */
const ANSWER_TOKENS: Readonly<Record<Kind, number>> = { sums: 120, code: 260, translation: 40, chat: 150 };

interface SamplePrompt {
  readonly id: string;
  readonly benchmark: Kind;
  readonly category: "plain" | "demanding";
  readonly prompt: string;
}

/** The text of `outcomes.jsonl` that belongs to the text of `prompts.jsonl`. */
export function scoreSample(promptLines: string): string {
  const prompts = promptLines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as SamplePrompt);
  const rows = prompts.flatMap((prompt) => MODELS.map((model) => scoreOne(prompt, model)));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join("");
}

function scoreOne(prompt: SamplePrompt, model: SampleModel) {
  const demand = (prompt.category === "demanding" ? 0.3 : 0) + 0.2 * draw(prompt.id);
  const luck = 0.4 * draw(`${prompt.id} ${model.name}`) - 0.2;
  const factor =
    model.length * (prompt.category === "demanding" ? 2 : 1) * (0.7 + 0.6 * draw(`${prompt.id} length`));
  const tokensIn = Math.ceil(prompt.prompt.length / 4);
  const tokensOut = Math.round(ANSWER_TOKENS[prompt.benchmark] * factor);
  const { input, output } = model.usdPerMillionTokens;
  return {
    id: prompt.id,
    model: model.name,
    score: model.ability[prompt.benchmark] - demand + luck > 0.5 ? 1 : 0,
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    cost_usd: Number(((tokensIn * input + tokensOut * output) / 1e6).toPrecision(6)),
  };
}

/** A number in [0, 1) that depends on the name alone. */
function draw(name: string): number {
  return createHash("sha256").update(`${SEED}\n${name}`).digest().readUInt32BE(0) / 2 ** 32;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  writeFileSync(file("outcomes.jsonl"), scoreSample(readFileSync(file("prompts.jsonl"), "utf8")));
}
