/** What the console makes of changed budgets, rules and webhooks, without a browser. */
import { describe, expect, it } from "vitest";
import { changeIn, type EntryField, withChange } from "../../src/console/alerts/entry-changes.js";

const FIELDS: readonly EntryField[] = [
  ["name", "Name", "required", "teams"],
  ["usd", "US dollars", "number", 0],
  ["value", "Only the value", "text", undefined],
  ["warn_at", "Warn at", "number", 0.8],
];

const formOf = (given: Readonly<Record<string, string>>): FormData => {
  const form = new FormData();
  for (const [name, text] of Object.entries(given)) form.set(name, text);
  return form;
};

describe("The change of an entry", () => {
  it("is what differs, and null where a field was cleared", () => {
    const form = formOf({ name: " teams ", usd: "0", value: "", warn_at: "" });
    expect(changeIn(form, FIELDS, "edit")).toEqual({ warn_at: null });
  });

  it("is all of a new one", () => {
    const form = formOf({ name: "teams", usd: "0", warn_at: "0.8" });
    expect(changeIn(form, FIELDS, "add")).toEqual({ name: "teams", usd: 0, value: null, warn_at: 0.8 });
  });

  it("is made to the entry of its name, as it is now", () => {
    const entries = [{ name: "teams", usd: 5, warn_at: 0.8 }, { name: "others" }];
    const [others] = entries.slice(1);
    const change = { usd: 7, warn_at: null };
    expect(withChange(entries, { name: "teams", change })).toEqual([others, { name: "teams", usd: 7 }]);
    expect(withChange(entries, { name: "teams", change: undefined })).toEqual([others]);
    expect(withChange(entries, { name: undefined, change: { name: "new", usd: null } })).toEqual([
      ...entries,
      { name: "new" },
    ]);
  });
});
