/** Wire dialects that providers speak. */
export const DIALECTS = ["openai-compatible", "anthropic", "sandbox"] as const;
export type Dialect = (typeof DIALECTS)[number];
