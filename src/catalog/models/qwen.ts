import { BASE, huggingFace, type ModelEntry, market, TEXT, TEXT_TOOLS, together } from "./model-entry.js";

const OPENROUTER = "https://openrouter.ai/models";

export const QWEN_MODELS: Readonly<Record<string, ModelEntry>> = {
  "qwen1.5-7b-chat": {
    ...TEXT,
    listed: together("Qwen/Qwen1.5-7B-Chat"),
    contextTokens: 32_768,
    source: huggingFace("Qwen/Qwen1.5-7B-Chat"),
  },
  "qwen1.5-72b-chat": { ...TEXT, contextTokens: 32_768, source: huggingFace("Qwen/Qwen1.5-72B-Chat") },
  "qwen1.5-110b": { ...BASE, contextTokens: 32_768, source: huggingFace("Qwen/Qwen1.5-110B") },
  "qwen2-7b-instruct": {
    ...TEXT,
    listed: { provider: "novita", id: "qwen/qwen-2-7b-instruct" },
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2-7B-Instruct"),
  },
  "qwen2-72b-instruct": {
    ...TEXT,
    listed: market("qwen/qwen-2-72b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2-72B-Instruct"),
  },
  "qwen2.5-3b-instruct": {
    ...TEXT_TOOLS,
    contextTokens: 32_768,
    source: huggingFace("Qwen/Qwen2.5-3B-Instruct"),
  },
  "qwen2.5-7b-instruct": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen-2.5-7b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-7B-Instruct"),
  },
  "qwen2.5-32b-instruct": {
    ...TEXT_TOOLS,
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-32B-Instruct"),
  },
  "qwen2.5-72b-instruct": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen-2.5-72b-instruct"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen2.5-72B-Instruct"),
  },
  "qwen-max": { ...TEXT_TOOLS, listed: market("qwen/qwen-max"), contextTokens: 32_768, source: OPENROUTER },
  "qwq-32b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwq-32b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/QwQ-32B"),
  },
  "qwen3-30b-a3b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen3-30b-a3b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen3-30B-A3B"),
  },
  "qwen3-30b-a3b:thinking": {
    priced_as: "qwen3-30b-a3b",
    variant: { thinking: "on" },
    source: huggingFace("Qwen/Qwen3-30B-A3B"),
  },
  "qwen3-30b-a3b:none": {
    priced_as: "qwen3-30b-a3b",
    variant: { thinking: "off" },
    source: huggingFace("Qwen/Qwen3-30B-A3B"),
  },
  "qwen3-235b-a22b": {
    ...TEXT_TOOLS,
    listed: market("qwen/qwen3-235b-a22b"),
    contextTokens: 131_072,
    source: huggingFace("Qwen/Qwen3-235B-A22B"),
  },
  "qwen3-235b-a22b:thinking": {
    priced_as: "qwen3-235b-a22b",
    variant: { thinking: "on" },
    source: huggingFace("Qwen/Qwen3-235B-A22B"),
  },
  "qwen3-235b-a22b:none": {
    priced_as: "qwen3-235b-a22b",
    variant: { thinking: "off" },
    source: huggingFace("Qwen/Qwen3-235B-A22B"),
  },
};
