/** Members of replies, of all dialects, whose strings a model generates. */
const GENERATED =
  /"(?:content|text|refusal|reasoning_content|reasoning|thinking|arguments)"\s*:\s*"((?:[^"\\]|\\.)*)/g;

/** The generated texts in a reply that broke off. */
export function generatedIn(partialReply: string): string[] {
  return Array.from(partialReply.matchAll(GENERATED), ([, text = ""]) => text);
}
