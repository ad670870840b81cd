import { createRequire } from "node:module";

/** What the library's native part can do and its typed part does not offer. */
interface RawVectors {
  data_chunk_get_vector(chunk: object, column: number): object;
  /** Copies the bytes, which must be UTF-8. */
  vector_assign_string_element_len(vector: object, row: number, text: Uint8Array): void;
}

// The native part belongs to the typed one, and is found from there.
const here = createRequire(import.meta.url);
const library = createRequire(here.resolve("@duckdb/node-api"));

export const raw: RawVectors = library("@duckdb/node-bindings");
