/** Packages whose users are on two majors. Both are typed as the newer one, whose API the tests use. */
import * as anthropic from "@ai-sdk/anthropic";
import * as anthropic3 from "@ai-sdk/anthropic-3";
import * as openai from "@ai-sdk/openai";
import * as openai3 from "@ai-sdk/openai-3";
import * as compatible from "@ai-sdk/openai-compatible";
import * as compatible2 from "@ai-sdk/openai-compatible-2";
import * as ai from "ai";
import * as ai6 from "ai-6";
import OpenAI6 from "openai";
import * as zodHelpers6 from "openai/helpers/zod";
import OpenAI from "openai-7";
import * as zodHelpers from "openai-7/helpers/zod";

export const MAJORS = [6, 7] as const;
export type Major = (typeof MAJORS)[number];
export const NEWEST = 7;

export type OpenAiPackage = { readonly OpenAI: typeof OpenAI } & typeof zodHelpers;

/** By major. */
export const OPENAI: Readonly<Record<Major, OpenAiPackage>> = {
  6: { OpenAI: OpenAI6 as never, ...(zodHelpers6 as never as typeof zodHelpers) },
  7: { OpenAI, ...zodHelpers },
};

const newest = { ...ai, ...openai, ...compatible, ...anthropic };
export type AiSdk = typeof newest;

/** The AI SDK with the providers of each major, by the major of `ai`. */
export const AI_SDK: Readonly<Record<Major, AiSdk>> = {
  6: { ...ai6, ...openai3, ...compatible2, ...anthropic3 } as never,
  7: newest,
};
