import native from "@duckdb/node-bindings";

/** What the library's native part can do and its typed part does not offer. */
interface NativePart {
  data_chunk_get_vector(chunk: object, column: number): object;
  /** Copies the bytes, which must be UTF-8. */
  vector_assign_string_element_len(vector: object, row: number, text: Uint8Array): void;
  /** How far a statement is; unlike the typed part's way of asking, this does nothing of it. */
  pending_execute_check_state(pending: object): number;
  readonly PendingState: { readonly RESULT_READY: number; readonly ERROR: number };
}

export const raw = native as unknown as NativePart;
