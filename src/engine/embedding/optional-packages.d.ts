/** What is used of a package that need not be installed, so that the types are there without it. */

declare module "@huggingface/transformers" {
  export interface FeatureExtractionPipeline {
    (
      texts: string | readonly string[],
      options: { readonly pooling: "mean"; readonly normalize?: boolean },
    ): Promise<{ readonly dims: readonly number[]; readonly data: unknown }>;
    readonly tokenizer: { readonly model_max_length: unknown };
    readonly model: { readonly config: object };
    dispose(): Promise<unknown>;
  }

  export const env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    useFSCache: boolean;
    cacheDir: string;
    remoteHost: string;
    logLevel: number;
  };

  export const LogLevel: { readonly NONE: number };

  export function pipeline(
    task: "feature-extraction",
    model: string,
    options: {
      readonly dtype: string;
      readonly device: "cpu";
      readonly session_options: Readonly<Record<string, number>>;
    },
  ): Promise<FeatureExtractionPipeline>;
}
