import { textIn } from "./form-text.js";

const HOUR_MS = 3_600_000;

/** How long something holds; the first is chosen at first. @param open what is said of the one without an end */
export const EndsField = ({ open }: { readonly open: string }) => (
  <fieldset class="scope-list">
    <legend class="field-name">Duration</legend>
    {[
      ["1", "1 hour"],
      ["4", "4 hours"],
      ["24", "1 day"],
      ["", open],
    ].map(([hours, label], at) => (
      <label key={hours} class="tick">
        <input type="radio" name="ends" value={hours} defaultChecked={at === 0} />
        <span>{label}</span>
      </label>
    ))}
  </fieldset>
);

/** The end that was chosen: ISO 8601, UTC; null: open. */
export function endsAt(form: FormData): string | null {
  const hours = textIn(form, "ends");
  return hours === "" ? null : new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
}
