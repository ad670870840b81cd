/** Clouds that host models and authenticate their callers in ways of their own. */
export const CLOUDS = ["aws", "google", "azure"] as const;
export type Cloud = (typeof CLOUDS)[number];

/**
 * Beginnings of Bedrock's inference profiles, without which the newer models cannot be called.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html (from memory); `us`, `eu` and `au`
 * of Claude Sonnet 5: https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-anthropic-claude-sonnet-5.html
 * (as others quote it, 2026-09-04).
 */
export const INFERENCE_PROFILES = ["global", "us", "us-gov", "eu", "jp", "apac", "au"] as const;
type InferenceProfile = (typeof INFERENCE_PROFILES)[number];

/** That of a region; `global` for regions whose geography has none. */
export function inferenceProfileOf(region: string): InferenceProfile {
  if (region.startsWith("us-gov-")) return "us-gov";
  if (region === "ap-southeast-2" || region === "ap-southeast-4") return "au";
  if (region === "ap-northeast-1" || region === "ap-northeast-3") return "jp";
  if (region.startsWith("us-") || region.startsWith("ca-")) return "us";
  return region.startsWith("eu-") ? "eu" : "global";
}
