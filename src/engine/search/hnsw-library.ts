import { isNotInstalled } from "../../foundation/optional-package.js";

/** The part of hnswlib-node that is used. */
export interface HnswLibrary {
  readonly HierarchicalNSW: new (space: "ip", dimensions: number) => HnswGraph;
}

/** A graph over f32 vectors. Distances are 1 − inner product. */
export interface HnswGraph {
  initIndex(size: number, links: number, buildCandidates: number, seed: number): void;
  addPoint(vector: number[], label: number): void;
  /** Sets how many candidates a search keeps. */
  setEf(candidates: number): void;
  searchKnn(query: number[], k: number): { readonly neighbors: number[]; readonly distances: number[] };
  readIndexSync(path: string): void;
  writeIndexSync(path: string): void;
  getCurrentCount(): number;
  getNumDimensions(): number;
}

/** Imports hnswlib-node; undefined where it is not installed. */
export type OpenHnswLibrary = () => Promise<HnswLibrary | undefined>;

/** A variable, so that the compiler does not resolve an optional package. */
const PACKAGE: string = "hnswlib-node";

/** @throws the package's own error when it is installed but cannot be loaded, for example when it was not compiled */
export const openHnswLibrary: OpenHnswLibrary = async () => {
  try {
    const imported = (await import(/* @vite-ignore */ PACKAGE)) as { readonly default: HnswLibrary };
    return imported.default;
  } catch (error) {
    if (isNotInstalled(error, "hnswlib-node")) return undefined;
    throw error;
  }
};
