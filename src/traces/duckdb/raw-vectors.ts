import native from "@duckdb/node-bindings";

/** What the library's native part can do and its typed part does not offer. */
interface RawVectors {
  data_chunk_get_vector(chunk: object, column: number): object;
  /** Copies the bytes, which must be UTF-8. */
  vector_assign_string_element_len(vector: object, row: number, text: Uint8Array): void;
}

export const raw = native as unknown as RawVectors;
