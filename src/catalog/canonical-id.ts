/** Other names under which people know the same models: the vendors' full names. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "claude-3-7-sonnet-20250219": "claude-3-7-sonnet",
    "claude-3-7-sonnet-latest": "claude-3-7-sonnet",
    "claude-sonnet-4-0": "claude-sonnet-4",
    "claude-sonnet-4-20250514": "claude-sonnet-4",
    "claude-opus-4-0": "claude-opus-4",
    "claude-opus-4-20250514": "claude-opus-4",
    "gpt-4.1-2025-04-14": "gpt-4.1",
    "gpt-4.1-mini-2025-04-14": "gpt-4.1-mini",
    "gpt-4.1-nano-2025-04-14": "gpt-4.1-nano",
    "o3-mini-2025-01-31": "o3-mini",
    "qwen3-30b-a3b:no-thinking": "qwen3-30b-a3b:none",
    "qwen3-235b-a22b:no-thinking": "qwen3-235b-a22b:none",
    "mixtral-8x7b-instruct": "mixtral-8x7b-instruct-v0.1",
  }),
);

/** The catalog id of a model as a request names it: vendors' full names of the same snapshot are the same model. */
export function canonicalId(requestedName: string): string {
  return ALIASES.get(requestedName) ?? requestedName;
}
