import { referencesOf, type WorkbenchPrompt } from "../prompts/prompt.js";
import { type LocalGrader, missingReference } from "./grader.js";

/** A number in a text. */
interface FoundNumber {
  readonly value: number;
  /** Written with a percent sign. */
  readonly isPercent: boolean;
}

export interface NumberOptions {
  /** Largest difference relative to the reference; default one in a million. */
  readonly tolerance?: number;
}

const DEFAULT_TOLERANCE = 1e-6;

/**
 * 1 when the answer's number is a reference's, within a relative tolerance. The number of an answer is that in its last
 * `\boxed{}`, else the last one behind "answer is", "answer:" or `####`, else the last one of all. Understood are signs, decimal points,
 * thousands separators (1,234 or 1 234), exponents, fractions (3/4, `\frac{3}{4}`), and a percent sign (50% is 50 or .5); other
 * units and currencies are ignored.
 */
export function numberGrader({ tolerance = DEFAULT_TOLERANCE }: NumberOptions = {}): LocalGrader {
  return {
    kind: "local",
    name: "number",
    problemWith: (prompt) => missingReference(prompt) ?? noNumber(prompt),
    grade: (graded) => {
      const answer = finalNumber(graded.answer);
      if (answer === undefined) return 0;
      const references = referencesOf(graded).map(finalNumber);
      return references.some((one) => one !== undefined && isClose(answer, one, tolerance)) ? 1 : 0;
    },
  };
}

function noNumber(prompt: WorkbenchPrompt): string | undefined {
  const wrong = referencesOf(prompt).find((reference) => finalNumber(reference) === undefined);
  return wrong === undefined
    ? undefined
    : "has a reference without a number; correct it, or use another grader";
}

function isClose(answer: FoundNumber, reference: FoundNumber, tolerance: number): boolean {
  const near = (value: number, other: number) => Math.abs(value - other) <= tolerance * Math.abs(other);
  if (near(answer.value, reference.value)) return true;
  if (answer.isPercent === reference.isPercent) return false;
  return answer.isPercent
    ? near(answer.value / 100, reference.value)
    : near(answer.value, reference.value / 100);
}

const DIGITS = String.raw`(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+`;
const NUMBER = new RegExp(
  String.raw`(?<sign>(?<![\w)\]}.])[-+]\s?)?[$€£¥]?\s?(?<whole>${DIGITS})(?<exponent>e[-+]?\d+)?(?:\s*/\s*(?<below>\d+(?:\.\d+)?))?\s*(?<percent>\\?%)?`,
  "gi",
);

/** The number that an answer gives; undefined when it holds none. */
function finalNumber(text: string): FoundNumber | undefined {
  const plain = text.replaceAll("\u2212", "-");
  for (const part of [boxed(plain), announced(plain), plain]) {
    const found = part === undefined ? undefined : lastNumber(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function lastNumber(text: string): FoundNumber | undefined {
  const plain = text
    .replace(/\\[dt]?frac\s*\{([^{}]+)\}\s*\{([^{}]+)\}/g, "$1/$2")
    .replaceAll("{,}", ",")
    .replace(/\\[,;!\s]/g, " ");
  const found = [...plain.matchAll(NUMBER)].at(-1)?.groups;
  if (found === undefined) return undefined;
  const { sign = "", whole = "", exponent = "", below, percent } = found;
  const size = Number(`${whole.replace(/[,\s\u00a0\u202f]/g, "")}${exponent}`);
  const value = (sign.startsWith("-") ? -1 : 1) * (below === undefined ? size : size / Number(below));
  return Number.isFinite(value) ? { value, isPercent: percent !== undefined } : undefined;
}

/** Content of the last `\boxed{…}`, braces within it balanced; undefined without one. */
export function boxed(text: string): string | undefined {
  const start = text.lastIndexOf(BOXED);
  if (start < 0) return undefined;
  let depth = 1;
  for (let end = start + BOXED.length; end < text.length; end++) {
    if (text[end] === "{") depth += 1;
    if (text[end] === "}") depth -= 1;
    if (depth === 0) return text.slice(start + BOXED.length, end);
  }
  return undefined;
}

const BOXED = "\\boxed{";

/** What follows the last "the answer is", "answer:" or `####`, to the end of the line; undefined without one. */
export function announced(text: string): string | undefined {
  const found = [...text.matchAll(/(?:answer\b[*_\s]*(?:is|:|=)|####)[*_:\s]*([^\n]+)/gi)].at(-1);
  return found?.[1];
}
