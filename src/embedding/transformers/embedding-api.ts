/** What the embedder and its worker thread say to each other. */

/** Precision of the weights, which chooses the file: `fp32` is `onnx/model.onnx`, `q8` is `onnx/model_quantized.onnx`. */
export type Weights = "fp32" | "fp16" | "q8" | "int8" | "uint8" | "q4" | "q4f16" | "bnb4";

/** Handed to the worker when it starts. */
export interface ModelSource {
  /** An absolute folder, or a hub id. */
  readonly model: string;
  readonly kind: "folder" | "hub";
  /** Where files of the hub are kept; not used for a folder. */
  readonly cacheDir: string;
  /** Branch, tag or commit on the hub. */
  readonly revision: string;
  readonly weights: Weights;
  /** Threads that compute one run. */
  readonly threads: number;
  /** Base address of the hub, ending in `/`. */
  readonly hubUrl: string;
}

/** First message of the worker when the model is loaded. */
export interface ReadyMessage {
  readonly kind: "ready";
  readonly dimensions: number;
  readonly fingerprint: string;
  /** Longer texts need not be sent whole: UTF-16 units beyond this are not read. */
  readonly maxUnits: number;
}

export type FromWorker =
  | ReadyMessage
  /** The transformers library is not installed; the worker ends. */
  | { readonly kind: "not-installed" }
  /** The model cannot be loaded; the worker ends. */
  | { readonly kind: "failed"; readonly message: string }
  /** f32 [texts, dimensions], row by row. */
  | { readonly kind: "vectors"; readonly request: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly kind: "error"; readonly request: number; readonly message: string };

export type ToWorker =
  | { readonly kind: "embed"; readonly request: number; readonly texts: readonly string[] }
  /** Nobody waits for this request any more. */
  | { readonly kind: "abort"; readonly request: number }
  /** Release the model and end. */
  | { readonly kind: "close" };
