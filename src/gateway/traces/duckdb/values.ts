import type { Value } from "./database.js";

/** A text as its bytes: from a text the library takes away a byte order mark that it begins with. */
export const asBytes = (expression: string): string => `encode(${expression})`;

/** Of a text, or of its bytes. */
export function text(value: Value | undefined): string {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length).toString();
  return typeof value === "string" ? value : "";
}

export const number = (value: Value | undefined): number => Number(value ?? 0);

export function optional<Result>(value: Value | undefined, read: (value: Value) => Result): Result | null {
  return value === null || value === undefined ? null : read(value);
}
