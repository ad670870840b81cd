/** The reviewed table of well-known models: one file a maker in `models/`. */
import { ANTHROPIC_MODELS } from "./models/anthropic.js";
import { DEEPSEEK_MODELS } from "./models/deepseek.js";
import { GOOGLE_MODELS } from "./models/google.js";
import { META_MODELS } from "./models/meta.js";
import { MISTRAL_MODELS } from "./models/mistral.js";
import type { ModelEntry } from "./models/model-entry.js";
import { OPENAI_MODELS } from "./models/openai.js";
import { OTHER_MODELS } from "./models/others.js";
import { QWEN_MODELS } from "./models/qwen.js";

/** By catalog id. */
export const MODEL_ENTRIES: ReadonlyMap<string, ModelEntry> = new Map(
  [
    OPENAI_MODELS,
    ANTHROPIC_MODELS,
    GOOGLE_MODELS,
    META_MODELS,
    MISTRAL_MODELS,
    QWEN_MODELS,
    DEEPSEEK_MODELS,
    OTHER_MODELS,
  ].flatMap((table) => Object.entries(table)),
);
