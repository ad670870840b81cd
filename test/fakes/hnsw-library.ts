import { readFileSync, writeFileSync } from "node:fs";
import type { HnswGraph, HnswLibrary } from "../../src/engine/search/hnsw-library.js";

/** hnswlib-node without a graph: compares the query with every vector, in the order of insertion. */
class ExhaustiveGraph implements HnswGraph {
  readonly #dimensions: number;
  #vectors: number[][] = [];
  #candidates = 10;

  constructor(_space: "ip", dimensions: number) {
    this.#dimensions = dimensions;
  }

  initIndex(): void {
    this.#vectors = [];
  }

  addPoint(vector: number[], label: number): void {
    this.#vectors[label] = vector;
  }

  setEf(candidates: number): void {
    this.#candidates = candidates;
  }

  searchKnn(query: number[], k: number): { neighbors: number[]; distances: number[] } {
    if (k > this.#candidates) throw new Error(`${k} results of ${this.#candidates} candidates`);
    const distances = this.#vectors.map((vector) => 1 - innerProduct(vector, query));
    // The library promises no order among equals: here the later one comes first.
    const order = distances.map((_, label) => label).reverse();
    const neighbors = order.sort((a, b) => (distances[a] as number) - (distances[b] as number)).slice(0, k);
    return { neighbors, distances: neighbors.map((label) => distances[label] as number) };
  }

  readIndexSync(path: string): void {
    this.#vectors = JSON.parse(readFileSync(path, "utf8"));
  }

  writeIndexSync(path: string): void {
    writeFileSync(path, JSON.stringify(this.#vectors));
  }

  getCurrentCount(): number {
    return this.#vectors.length;
  }

  getNumDimensions(): number {
    return this.#dimensions;
  }
}

const innerProduct = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, value, d) => sum + value * (b[d] as number), 0);

export const exhaustiveHnswLibrary: HnswLibrary = { HierarchicalNSW: ExhaustiveGraph };
