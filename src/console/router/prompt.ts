import { signal } from "@preact/signals";

/** The prompt in the field. It stays while one looks at other pages, and is in no address: addresses end up in histories. */
export const prompt = signal("");

/** Several prompts, one a line: kept in the same way. */
export const prompts = signal("");

export const EXAMPLES: readonly string[] = [
  "What is the capital of Australia?",
  "Prove that there are infinitely many primes of the form 4k + 3.",
  "Write a Python function that merges overlapping intervals, with tests.",
  "A patient on warfarin is prescribed fluconazole. What has to be watched, and why?",
];
