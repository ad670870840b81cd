/** Capabilities of a model in the Messages API. Requests beyond them would be refused with a 400, so they are not sent. */
export interface ModelTraits {
  /** Most tokens of one answer; null when unknown, and then no limit is lowered. */
  readonly maxOutputTokens: number | null;
  /** Limit sent when a request has none, because the API requires one: room for thinking and a long answer. */
  readonly defaultMaxTokens: number;
  /** `one`: `temperature` or `top_p` but not both; `none`: sampling parameters are refused. */
  readonly sampling: "both" | "one" | "none";
  /** `budget`: `thinking.budget_tokens`; `adaptive`: the model decides, guided by `output_config.effort`. */
  readonly thinking: "none" | "budget" | "adaptive";
  /** Whether `{type: "disabled"}` turns thinking off; models that always think cannot be forced to call a tool. */
  readonly thinkingStops: boolean;
  /** Levels of `output_config.effort`, least first; empty when the model has none. */
  readonly efforts: readonly string[];
  /** Whether `output_config.format` binds the answer to a schema. */
  readonly structuredOutput: boolean;
  /** Whether a conversation may end with the beginning of the answer (prefilling). */
  readonly prefill: boolean;
}

/** `claude-opus-4-5-20251101`, `anthropic.claude-sonnet-4-20250514-v1:0`, `claude-opus-4@20250514`, `claude-sonnet-4.6`. */
const NAMED_FIRST = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;
/** `claude-3-5-sonnet-20241022`, `claude-3.7-sonnet`, `claude-2.1`. */
const NUMBERED_FIRST = /claude-(?:v|instant-)?(\d)(?:[-.](\d))?(?!\d)/;

const DEFAULT_MAX_TOKENS = 32_000;

const CLASSIC = {
  defaultMaxTokens: DEFAULT_MAX_TOKENS,
  sampling: "both",
  thinking: "none",
  thinkingStops: true,
  efforts: [],
  structuredOutput: false,
  prefill: true,
} as const;

/** Traits of other vendors' models behind the Messages API: the features of its first version. */
const OTHER_VENDORS: ModelTraits = {
  ...CLASSIC,
  maxOutputTokens: null,
  defaultMaxTokens: 8_192,
  thinking: "budget",
};

/**
 * Traits by the upstream's model name. A Claude model with an unknown or newer version has those of the newest known
 * one, because removed features have never returned.
 *
 * Source: https://platform.claude.com/docs/en/about-claude/models/overview, …/build-with-claude/effort,
 * …/thinking-troubleshooting, …/structured-outputs and the migration guide, read in 2026.
 */
export function modelTraits(upstreamModel: string): ModelTraits {
  const name = upstreamModel.toLowerCase();
  if (!name.includes("claude")) return OTHER_VENDORS;
  const named = NAMED_FIRST.exec(name);
  if (named !== null) return traitsOf(named[1] ?? "", versionOf(named[2], named[3]));
  const numbered = NUMBERED_FIRST.exec(name);
  if (numbered !== null) return traitsOf("", versionOf(numbered[1], numbered[2]));
  return traitsOf("", Number.POSITIVE_INFINITY);
}

/** 4.5 → 405, so that versions compare as numbers. */
const versionOf = (major = "0", minor = "0"): number => Number(major) * 100 + Number(minor);

function traitsOf(family: string, version: number): ModelTraits {
  if (version < 305) return { ...CLASSIC, maxOutputTokens: 4_096, defaultMaxTokens: 4_096 };
  if (version < 307) return { ...CLASSIC, maxOutputTokens: 8_192, defaultMaxTokens: 8_192 };
  const budgeted = { ...CLASSIC, thinking: "budget" } as const;
  if (version < 405) {
    const maxOutputTokens = family === "opus" ? 32_000 : 64_000;
    return { ...budgeted, maxOutputTokens, sampling: version < 401 ? "both" : "one" };
  }
  if (version < 406) return { ...budgeted, maxOutputTokens: 64_000, sampling: "one", structuredOutput: true };
  const adaptive = { ...CLASSIC, thinking: "adaptive", structuredOutput: true, prefill: false } as const;
  if (version < 407) {
    const efforts = ["low", "medium", "high", "max"];
    return { ...adaptive, maxOutputTokens: 128_000, sampling: "one", efforts };
  }
  return {
    ...adaptive,
    maxOutputTokens: version < 500 ? 128_000 : null,
    sampling: "none",
    thinkingStops: version < 505 && family !== "fable" && family !== "mythos",
    efforts: ["low", "medium", "high", "xhigh", "max"],
  };
}
