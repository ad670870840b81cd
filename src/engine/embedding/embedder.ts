import type { CancelSignal } from "../../foundation/cancel-signal.js";
import type { AnswerLengthModel } from "../estimation/answer-length-model.js";
import type { DifficultyModel } from "../estimation/difficulty-model.js";

/** Text → vector. Implementations: `static/` (the shipped ONNX model, main thread), `transformers/` (worker thread). */
export interface Embedder {
  /** Name for people: `sextant-static-v1`, or the hub id / folder that was asked for. */
  readonly id: string;
  /** SHA-256 (hex) over everything that decides a vector: weights, tokenizer, pooling. Profiles are bound to it. */
  readonly fingerprint: string;
  readonly dimensions: number;
  /** How hard a prompt is, from its text and its vector; absent when no such model ships with the embedder. */
  readonly difficulty?: (DifficultyModel & { readonly fingerprint: string }) | undefined;
  /** How long answers to a prompt are; absent when no such model ships with the embedder. */
  readonly answerLength?: AnswerLengthModel | undefined;
  /**
   * One vector per text, in order: unit length, or all zeros when the text holds nothing the model can read (an empty
   * string), which the router takes as "no evidence". Never NaN. Text past the model's limit is cut, not refused.
   * Rejects with the signal's reason when it is aborted before all is done; the signal is not read where nothing is waited for.
   */
  embed(
    texts: readonly string[],
    options?: { readonly signal?: CancelSignal | undefined },
  ): Promise<Float32Array[]>;
  close(): Promise<void>;
}
