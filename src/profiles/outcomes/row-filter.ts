import type { RawRow } from "./jsonl.js";

/** Values that a row must have, by field. A file that lacks a field is not filtered by it. */
export type RowFilter = Readonly<Record<string, readonly (string | number)[]>>;

/** Whether a row has one of the values of every field of the filter that its file has. Numbers are compared as numbers. */
export const passes = ({ values }: RawRow, filter: RowFilter = {}): boolean =>
  Object.entries(filter).every(([field, allowed]) => {
    const value = values[field];
    return value === undefined || allowed.some((each) => String(each) === String(value ?? ""));
  });
