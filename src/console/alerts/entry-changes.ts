import { merged } from "../../foundation/merge-patch.js";
import { textIn } from "../components/form-text.js";

/** What an entry is asked for, with what it has now, and a hint or values to choose from. */
export type EntryField = readonly [
  name: string,
  label: string,
  kind: "text" | "number" | "required" | "choice",
  value: string | number | null | undefined,
  more?: string | readonly string[] | undefined,
];

/** A JSON Merge Patch of the entry of a name: null for a field that was cleared. Without a name it is new, without a change deleted. */
export interface NamedChange {
  readonly name: string | undefined;
  readonly change: Readonly<Record<string, unknown>> | undefined;
}

/** What of a form differs from the entry that it was opened for; for a new one all of it. */
export const changeIn = (form: FormData, fields: readonly EntryField[], act: "add" | "edit") =>
  Object.fromEntries(
    fields.flatMap(([name, , kind, value]) => {
      const text = textIn(form, name);
      const given = text === "" ? null : kind === "number" ? Number(text) : text;
      return act === "edit" && given === (value ?? null) ? [] : [[name, given]];
    }),
  );

/** All entries, with the one of a name changed, added or deleted. */
export function withChange<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
  { name, change }: NamedChange,
): Entry[] {
  const others = entries.filter((one) => one.name !== name);
  if (change === undefined) return others;
  const before = entries.find((one) => one.name === name);
  return [...others, merged(before, change) as Entry];
}
