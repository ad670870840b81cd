/**
 * Models that a provider no longer runs under a name it once had. The price list keeps their prices, and some vendors
 * answer for them with another model, so that a name alone is no offer. Reviewed by hand; dates are the vendors' own.
 */
interface Retirements {
  /** Page the dates are from. */
  readonly source: string;
  /** Date from which requests fail, or are answered by another model → names; `*` stands for any ending. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** By provider. Names are written with dashes for dots, as they are compared. */
const RETIREMENTS: Readonly<Record<string, Retirements>> = {
  openai: {
    source: "https://developers.openai.com/api/docs/deprecations",
    names: {
      "2024-01-04": ["ada", "babbage", "curie", "davinci", "text-ada-*", "text-curie-*", "text-davinci-*"],
      "2024-09-13": ["gpt-3-5-turbo-0301", "gpt-3-5-turbo-0613", "gpt-3-5-turbo-16k*", "gpt-3-5-0301"],
      "2024-12-06": ["gpt-4-vision-preview", "gpt-4-1106-vision-preview"],
      "2025-06-06": ["gpt-4-32k*"],
      "2025-07-14": ["gpt-4-5-preview*"],
      "2025-07-28": ["o1-preview*"],
      "2025-10-27": ["o1-mini*"],
      "2026-01-16": ["codex-mini*"],
      "2026-02-17": ["chatgpt-4o-latest"],
      "2026-03-26": ["gpt-4-0314", "gpt-4-1106-preview", "gpt-4-0125-preview", "gpt-4-turbo*-preview"],
      "2026-07-23": [
        "computer-use*",
        "gpt-4o-search-preview*",
        "gpt-4o-mini-search-preview*",
        "gpt-5-chat*",
        "gpt-5-codex",
        "gpt-5-1-chat*",
        "gpt-5-1-codex*",
        "gpt-5-2-codex",
        "o3-deep-research*",
        "o4-mini-deep-research*",
      ],
      "2026-08-10": ["gpt-5-2-chat*", "gpt-5-3-chat*"],
      "2026-09-28": ["gpt-3-5-turbo-instruct*", "gpt-3-5-turbo-1106", "babbage-002", "davinci-002"],
      "2026-10-23": [
        "gpt-3-5-turbo",
        "gpt-3-5-turbo-0125",
        "gpt-35-turbo",
        "gpt-4",
        "gpt-4-0613",
        "gpt-4-turbo",
        "gpt-4-turbo-2024-04-09",
        "gpt-4o-2024-05-13",
        "gpt-4-1-nano*",
        "o1",
        "o1-2024-12-17",
        "o1-pro*",
        "o3-mini*",
        "o4-mini",
        "o4-mini-high",
        "o4-mini-2025-04-16",
      ],
      "2026-12-11": [
        "gpt-5",
        "gpt-5-2025-08-07",
        "gpt-5-mini*",
        "gpt-5-nano*",
        "gpt-5-pro*",
        "o3",
        "o3-2025-04-16",
        "o3-pro*",
      ],
      "2027-01-14": [
        "gpt-4o",
        "gpt-4o-2024-08-06",
        "gpt-4o-2024-11-20",
        "gpt-4o-mini",
        "gpt-4o-mini-2024-07-18",
        "gpt-4-1",
        "gpt-4-1-2025-04-14",
        "gpt-4-1-mini*",
      ],
      "2027-04-01": ["gpt-5-1", "gpt-5-1-2025-11-13", "gpt-5-3-codex", "gpt-5-4-nano*"],
    },
  },
  anthropic: {
    source: "https://platform.claude.com/docs/en/about-claude/model-deprecations",
    names: {
      "2024-11-06": ["claude-v1*", "claude-1*", "claude-instant*"],
      "2025-07-21": ["claude-2*", "claude-v2*", "claude-3-sonnet*"],
      "2025-10-28": ["claude-3-5-sonnet*"],
      "2026-01-05": ["claude-3-opus*"],
      "2026-02-19": ["claude-3-5-haiku*", "claude-3-7-sonnet*", "claude-sonnet-3-7*"],
      "2026-04-20": ["claude-3-haiku*"],
      "2026-06-15": [
        "claude-opus-4",
        "claude-opus-4-0*",
        "claude-opus-4-20250514",
        "claude-4-opus*",
        "claude-sonnet-4",
        "claude-sonnet-4-0*",
        "claude-sonnet-4-20250514",
        "claude-4-sonnet*",
      ],
      "2026-08-05": ["claude-opus-4-1*"],
      "2026-11-30": ["claude-sonnet-4-5*"],
    },
  },
  google: {
    source: "https://ai.google.dev/gemini-api/docs/deprecations",
    names: {
      "2025-09-29": ["gemini-pro", "gemini-1-0*", "gemini-1-5*", "gemini-flash-1-5*", "gemini-pro-1-5"],
      "2025-12-02": [
        "gemini-2-0-*-exp*",
        "gemini-2-0-flash-thinking*",
        "gemini-2-5-pro-preview*",
        "gemini-2-5-flash-preview",
        "gemini-2-5-flash-preview-0*-*",
      ],
      "2026-03-09": ["gemini-3-pro-preview*"],
      "2026-05-25": ["gemini-3-1-flash-lite-preview*"],
      "2026-06-01": ["gemini-2-0-flash*"],
      "2026-12-01": ["gemini-2-5-pro", "gemini-2-5-flash", "gemini-2-5-flash-latest"],
    },
  },
  mistral: {
    source: "https://docs.mistral.ai/getting-started/models/models_overview/",
    names: {
      "2025-03-30": [
        "mistral-7b",
        "open-mistral-7b",
        "mixtral-8x*",
        "open-mixtral-8x*",
        "mistral-large-2407",
      ],
      "2025-06-16": ["mistral-medium-2312", "mistral-tiny"],
      "2025-11-30": [
        "codestral-2501",
        "magistral-medium-2506",
        "mistral-small-2501",
        "mistral-small-24b-instruct-2501",
        "mistral-small-2503",
      ],
      "2025-12-31": ["pixtral-12b*"],
      "2026-05-31": ["mistral-large-2411"],
      "2026-07-31": ["mistral-nemo", "open-mistral-nemo*"],
      "2026-08-31": ["mistral-medium-2505", "mistral-medium-2508"],
    },
  },
  deepseek: {
    source: "https://api-docs.deepseek.com/news/news260424",
    names: { "2026-07-24": ["deepseek-chat*", "deepseek-reasoner*", "deepseek-r1*"] },
  },
  "x-ai": {
    source: "https://docs.x.ai/developers/migration/may-15-retirement",
    names: {
      "2026-05-15": [
        "grok-2*",
        "grok-3*",
        "grok-4",
        "grok-4-0709",
        "grok-4-latest",
        "grok-4-fast*",
        "grok-4-1-fast*",
        "grok-code-fast*",
      ],
    },
  },
  groq: {
    source: "https://console.groq.com/docs/deprecations",
    names: {
      "2025-03-20": ["mixtral-8x7b-32768", "llama-3-1-70b-versatile", "llama-3-3-70b-specdec", "gemma-7b-it"],
      "2025-04-14": ["llama-3-2-*"],
      "2025-08-30": ["llama3-*"],
      "2025-10-02": ["deepseek-r1-distill-llama-70b"],
      "2025-10-08": ["gemma2-9b*"],
      "2026-03-09": ["meta-llama/llama-4-maverick-17b-128e-instruct"],
      "2026-04-15": ["moonshotai/kimi-k2-instruct*"],
      "2026-07-17": ["meta-llama/llama-4-scout-17b-16e-instruct", "qwen/qwen3-32b"],
      "2026-08-16": ["llama-3-3-70b-versatile", "llama-3-1-8b-instant"],
    },
  },
  together: {
    // Bases, and chats of 2024: not among the models that need no machine of one's own.
    source: "https://docs.together.ai/docs/serverless-models",
    names: {
      "2025-06-01": [
        "google/gemma-7b",
        "mistralai/mistral-7b-v0-1",
        "mistralai/mixtral-8x7b-v0-1",
        "qwen/qwen1-5-*",
        "zero-one-ai/yi-*",
      ],
    },
  },
  openrouter: {
    // Not in the market's list of models on that day; what is only closed by its maker is found at the maker.
    source: "https://openrouter.ai/api/v1/models",
    names: {
      "2026-09-26": [
        "ai21/jamba-*",
        "anthropic/claude-2*",
        "anthropic/claude-3*",
        "anthropic/claude-opus-4",
        "cohere/command-r",
        "cohere/command-r-plus",
        "google/gemini-2-0-*",
        "google/gemini-2-5-flash-preview*",
        "google/gemini-2-5-pro-preview-*",
        "meta-llama/llama-3-1-405b*",
        "mistralai/mistral-small-24b-instruct-2501",
        "mistralai/mixtral-8x7b-instruct",
        "nousresearch/hermes-3-llama-3-1-70b",
        "qwen/qwen-max",
        "qwen/qwq-32b*",
        "x-ai/grok-2*",
        "x-ai/grok-3*",
      ],
    },
  },
};

/** Makers that alone run their models: what they close is closed on the market too. */
const CLOSED_MAKERS: Readonly<Record<string, string>> = {
  "openai/": "openai",
  "google/gemini": "google",
  "x-ai/": "x-ai",
};
const MARKET = "openrouter";

interface DatedPattern {
  readonly from: number;
  readonly pattern: RegExp;
}

const PATTERNS: ReadonlyMap<string, readonly DatedPattern[]> = new Map(
  Object.entries(RETIREMENTS).map(([provider, { names }]) => [
    provider,
    Object.entries(names).flatMap(([date, each]) =>
      each.map((name) => ({ from: Date.parse(date), pattern: patternOf(name) })),
    ),
  ]),
);

function patternOf(name: string): RegExp {
  const escaped = name.split("*").map((part) => part.replaceAll(/[^a-z0-9-]/g, "\\$&"));
  return new RegExp(`^${escaped.join("[^/]*")}$`);
}

/** Whether a provider has stopped running a model under the name it knew it by. */
export function isRetired(provider: string, upstreamModel: string, at: Date): boolean {
  const name = upstreamModel.toLowerCase().replaceAll(".", "-");
  if (retiredAt(provider, name, at)) return true;
  if (provider !== MARKET) return false;
  for (const [prefix, maker] of Object.entries(CLOSED_MAKERS)) {
    if (name.startsWith(prefix)) return retiredAt(maker, name.slice(name.indexOf("/") + 1), at);
  }
  return false;
}

function retiredAt(provider: string, name: string, at: Date): boolean {
  const patterns = PATTERNS.get(provider) ?? [];
  return patterns.some(({ from, pattern }) => at.getTime() >= from && pattern.test(name));
}

/** The first moment after `at` at which some model is retired; null when none is known. */
export function nextRetirement(at: Date): Date | null {
  const dates = [...PATTERNS.values()].flat().flatMap(({ from }) => (from > at.getTime() ? [from] : []));
  return dates.length === 0 ? null : new Date(Math.min(...dates));
}
