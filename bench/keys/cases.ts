/** Whose key alone is set, and what is asked. */
export interface KeyCase {
  readonly provider: string;
  readonly variable: string;
  /** Candidates that a key of this provider alone should have. */
  readonly least: number;
}

export const KEYS: readonly KeyCase[] = [
  { provider: "openai", variable: "OPENAI_API_KEY", least: 5 },
  { provider: "anthropic", variable: "ANTHROPIC_API_KEY", least: 5 },
  { provider: "google", variable: "GEMINI_API_KEY", least: 5 },
  { provider: "mistral", variable: "MISTRAL_API_KEY", least: 2 },
  { provider: "deepseek", variable: "DEEPSEEK_API_KEY", least: 2 },
  { provider: "x-ai", variable: "XAI_API_KEY", least: 2 },
  { provider: "groq", variable: "GROQ_API_KEY", least: 2 },
  { provider: "fireworks", variable: "FIREWORKS_API_KEY", least: 2 },
  { provider: "together", variable: "TOGETHER_API_KEY", least: 5 },
  { provider: "openrouter", variable: "OPENROUTER_API_KEY", least: 5 },
];

export const PROMPTS = [
  { name: "trivial", text: "Hey, how was your weekend?" },
  {
    name: "medium",
    text: "Write a Python function that merges overlapping intervals, with type hints and three unit tests.",
  },
  {
    name: "hard",
    text:
      "Prove that every finite group of order p^2 q, for distinct primes p and q, has a normal Sylow subgroup, and say where " +
      "the argument fails for order p^2 q^2.",
  },
] as const;

export const COST_WEIGHTS = [0, 0.2, 0.5, 0.8] as const;
