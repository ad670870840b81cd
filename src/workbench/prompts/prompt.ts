/** A message of a chat in OpenAI's form; further fields go to the provider as they are. */
import { createHash } from "node:crypto";
import { OptionError } from "../workbench-error.js";

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** The right answer, or all that count as right; null without one. */
export type Reference = string | readonly string[] | null;

/** A prompt that models are asked. */
export interface WorkbenchPrompt {
  /** Unique in a collection. */
  readonly id: string;
  /** A text, which is sent as one user message, or a whole chat. */
  readonly prompt: string | readonly ChatMessage[];
  readonly reference?: Reference;
  /** Where the prompt is from; passed on to the profile set. */
  readonly benchmark?: string | null;
  /** A finer division of the benchmark; passed on to the profile set. */
  readonly category?: string | null;
  /** How its answers are graded, where tables mix kinds of prompts: the name of a grader, and its pattern or JSON schema. */
  readonly grade?: string | null;
  readonly pattern?: string | null;
  readonly schema?: string | null;
}

/** The prompt as it is sent, after the instructions when there are any. */
export function promptMessages(
  { prompt }: Pick<WorkbenchPrompt, "prompt">,
  { system }: { readonly system?: string | undefined } = {},
): readonly ChatMessage[] {
  const messages = typeof prompt === "string" ? [{ role: "user", content: prompt }] : prompt;
  return system === undefined ? messages : [{ role: "system", content: system }, ...messages];
}

/** The prompt as one text, for graders and people: messages under their roles. */
export function textOfPrompt({ prompt }: Pick<WorkbenchPrompt, "prompt">): string {
  if (typeof prompt === "string") return prompt;
  return prompt.map(({ role, content }) => `${role}: ${contentText(content)}`).join("\n\n");
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part?.text === "string" ? part.text : `[${part?.type}]`)).join("\n");
}

/** All answers that count as right. */
export function referencesOf({ reference }: Pick<WorkbenchPrompt, "reference">): readonly string[] {
  if (reference === undefined || reference === null) return [];
  return typeof reference === "string" ? [reference] : reference;
}

export interface SampleOptions {
  /** At least 1. */
  readonly size: number;
  /** Another seed chooses other prompts. */
  readonly seed: number;
}

/**
 * That many of the prompts, chosen at random by their ids, in their order. A larger sample with the same seed contains the
 * smaller one, so that what was collected for it is not asked again.
 *
 * @throws WorkbenchError on a size that is no whole number of at least 1
 */
export function samplePrompts(
  prompts: readonly WorkbenchPrompt[],
  { size, seed }: SampleOptions,
): readonly WorkbenchPrompt[] {
  if (!Number.isInteger(size) || size < 1)
    throw new OptionError(`\`size\` is ${size}: it must be a whole number of at least 1.`);
  const draws = prompts.map(({ id }) => createHash("sha256").update(`${seed}\n${id}`).digest("hex"));
  const last = [...draws].sort()[size - 1];
  return last === undefined ? prompts : prompts.filter((_, index) => (draws[index] as string) <= last);
}
