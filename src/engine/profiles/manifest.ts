import { z } from "zod";
import { WEIGHT_RULES } from "../estimation/saved-weight.js";
import { INDEX_KINDS } from "../search/anchor-index.js";
import { profileFileName } from "./model-profile.js";

/** Format of a set folder. A reader refuses any other. */
export const FORMAT_VERSION = 5;

const SHA256 = /^[0-9a-f]{64}$/;
const sha256 = z.string().regex(SHA256);

/** A name in the folder of the set, or in `models`. */
const LISTED_PATH = /^(?:models\/)?(?!\.\.?$)[^/\\]+$/;

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** By hand: a schema over 826 files takes 15 ms, on the thread that serves requests. */
function isListedFile(file: unknown): file is ListedFile {
  const { path, bytes, sha256 } = (file ?? {}) as Partial<Record<keyof ListedFile, unknown>>;
  return (
    typeof path === "string" &&
    LISTED_PATH.test(path) &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === "string" &&
    SHA256.test(sha256)
  );
}

/** `manifest.json` of a profile set. Reading validates what is used and ignores unknown members. */
export const manifestSchema = z.object({
  format: z.literal(FORMAT_VERSION),
  name: z.string().min(1),
  built_at: z.iso.datetime(),
  embedder: z.object({ id: z.string(), fingerprint: sha256, dimensions: z.int().positive() }),
  anchors: z.int().positive(),
  benchmarks: z.array(z.string()),
  /** Benchmarks, or their categories where these are large enough: models have a skill on each. */
  topics: z.array(z.string()).min(1),
  /** Topics that are clusters of similar prompts, because these named neither. */
  clustered_topics: z.array(z.string()).optional(),
  sources: z.array(
    z.object({
      name: z.string(),
      licence: z.string().nullable(),
      commit: z.string().nullable(),
      url: z.string().nullable(),
      anchors: z.int(),
      /** See `SourceSimilarity`; absent where anchors of the source are not neighbours of each other. */
      similarity: z
        .object({ least: z.number(), usual: z.number(), neighbours: z.int().positive() })
        .optional(),
    }),
  ),
  seed: z.int(),
  /** `served`: only models that somebody is known to serve are candidates; `all`: others too. */
  candidates: z.enum(["all", "served"]).default("all"),
  /** Tuned by leave-one-out on the set's own anchors. */
  parameters: z.object({
    neighbours: z.int().positive(),
    kernel_width: z.number().positive(),
    prior_weight: z.number().positive(),
    out_of_distribution_similarity: z.number(),
    in_distribution_similarity: z.number(),
    near_similarity: z.number(),
    paired_correlation: z.number().min(0).max(0.99),
    near_ease_variance: z.number().min(0),
  }),
  /** How much longer answers are than their prompts let expect, as far as all sources have it in common: log2 of the ratio. */
  answer_level: z.number(),
  /** Slope of the logarithm of a model's bills on that of their expectations, in leave-one-out. */
  bill_slope: z.number().min(0).max(1),
  /** Standard deviation of the logarithm of a bill about its expectation, in leave-one-out. */
  bill_spread: z.number().nonnegative(),
  /** The index of the set, which determines its index files. */
  index: z.enum(INDEX_KINDS),
  /** Mean ease of the topics' anchors, log-odds. */
  overall_ease: z.number(),
  /** How a prompt's difficulty (tiers) becomes ease (log-odds); absent in sets built without a difficulty model. */
  difficulty: z
    .object({
      fingerprint: sha256,
      intercept: z.number(),
      slope: z.number(),
      /** Of ease at the same difficulty: between sources, and within one. */
      between_variance: z.number().positive(),
      within_variance: z.number().positive(),
    })
    .optional(),
  /** Mean cost of a request in dollars at the cost weights 0, .05, …, 1, at the list prices of the build; absent without prices. */
  mean_costs_usd: z.array(z.number().nonnegative()).length(21).optional(),
  /** What `sextant profile tune --save` recommends; see `RecommendedWeight`. */
  recommended_cost_weight: z
    .object({
      cost_weight: z.number().min(0).max(1),
      rule: z.enum(WEIGHT_RULES),
      limit: z.number().min(0).nullable(),
      prompts: z.int().positive(),
      saved_at: z.iso.datetime(),
      /** Version of the files of the set that it was chosen on. */
      files_version: z.string(),
    })
    .optional(),
  /** Every file of the set but this one. A profile added later refers to `anchors.bin` in its own header. */
  files: z.custom<ListedFile[]>(
    (files) => Array.isArray(files) && files.every(isListedFile),
    "it must be a list of files, each with its `path` in the set, `bytes` and `sha256`",
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;

export const encodeManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

export const MANIFEST_FILE = "manifest.json";
export const ANCHORS_FILE = "anchors.bin";
export const FACTS_FILE = "anchor-facts.bin";
export const IVF_FILE = "ivf.bin";
/** Written by hnswlib. */
export const HNSW_FILE = "hnsw.bin";
/** Needed only to place a model that was not part of the build. */
export const ABILITIES_FILE = "abilities.json";
export const MODELS_FOLDER = "models";
export const MODEL_SUFFIX = ".profile";

/** Path of a model's profile within its set. */
export const modelFile = (model: string): string =>
  `${MODELS_FOLDER}/${profileFileName(model)}${MODEL_SUFFIX}`;
