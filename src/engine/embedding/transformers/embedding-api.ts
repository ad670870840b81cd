/** What the thread that runs the model does. */

/** Handed to the thread when it starts. */
export interface ModelSource {
  /** An absolute folder, or a hub id. */
  readonly model: string;
  readonly kind: "folder" | "hub";
  /** Where files of the hub are kept; not used for a folder. */
  readonly cacheDir: string;
  /** Base address of the hub, ending in `/`. */
  readonly hubUrl: string;
}

export interface LoadedModel {
  readonly dimensions: number;
  readonly fingerprint: string;
  /** Longer texts need not be sent whole: UTF-16 units beyond this are not read. */
  readonly maxUnits: number;
}

export type EmbeddingApi = {
  model(): LoadedModel;
  /** f32 [texts, dimensions], row by row, by the model that has this fingerprint. */
  embed(wanted: {
    readonly texts: readonly string[];
    readonly fingerprint: string;
  }): Float32Array<ArrayBuffer>;
};
