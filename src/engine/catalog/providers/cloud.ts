/** Clouds that host models and authenticate their callers in ways of their own. */
export const CLOUDS = ["aws", "google", "azure"] as const;
export type Cloud = (typeof CLOUDS)[number];

/**
 * Beginnings of Bedrock's inference profiles, without which the newer models cannot be called (as indexed on 2026-11-27):
 * https://docs.aws.amazon.com/bedrock/latest/userguide/models-region-compatibility.html,
 * https://docs.aws.amazon.com/cdk/api/v2/docs/@aws-cdk_aws-bedrock-alpha.CrossRegionInferenceProfileRegion.html
 */
export const INFERENCE_PROFILES = ["global", "us", "us-gov", "eu", "jp", "apac", "au"] as const;
type InferenceProfile = (typeof INFERENCE_PROFILES)[number];

/**
 * Models without a profile of Japan. Opus 5 by its model card
 * (https://github.com/aws-solutions-library-samples/guidance-for-claude-code-with-amazon-bedrock/pull/809, 2026-07-31);
 * Sonnet 5 by its own (https://github.com/aws-samples/anthropic-on-aws/pull/270, 2026-07-27), where others list one;
 * Opus 5.5 is a guess.
 */
const NOT_IN_JAPAN: ReadonlySet<string> = new Set([
  "anthropic.claude-opus-5",
  "anthropic.claude-opus-5-5",
  "anthropic.claude-sonnet-5",
]);

/**
 * The one by which a model is called in a region: `global` where the region's geography has none. There is none of Asia
 * for Claude 4.7 and later (https://github.com/pydantic/genai-prices/pull/389, 2026-05-28). That Canada calls those of
 * the USA, and which models GovCloud has, are guesses.
 *
 * @param name of the model at Bedrock, without a profile
 */
export function inferenceProfileOf(region: string, name: string): InferenceProfile {
  if (region.startsWith("us-gov-")) return "us-gov";
  if (region === "ap-southeast-2" || region === "ap-southeast-4") return "au";
  if (region === "ap-northeast-1" || region === "ap-northeast-3")
    return NOT_IN_JAPAN.has(name) ? "global" : "jp";
  if (region.startsWith("us-") || region.startsWith("ca-")) return "us";
  return region.startsWith("eu-") ? "eu" : "global";
}
