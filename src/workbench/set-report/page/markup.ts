/** Text of a page, with everything that markup would read as markup escaped. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** JSON that a script element may contain. */
export const jsonInScript = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");

/** A number for a coordinate, short. */
export const at = (value: number): string => String(Math.round(10 * value) / 10);

/** Colours of the models that get one of their own, by position: `c0` to `c6`; the others share `c7`. */
export const OWN_COLOURS = 7;
export const colourClass = (position: number): string =>
  position < 0 || position >= OWN_COLOURS ? `c${OWN_COLOURS}` : `c${position}`;

/** A share of at least 0; one that rounds to 0 is told apart from 0. In markup. */
export const percentAbove0 = (share: number): string =>
  share > 0 && share < 0.005 ? "&lt; 1 %" : percent(share);
export const percent = (share: number): string => `${Math.round(100 * share)} %`;
export const quality = (value: number): string => value.toFixed(3);

/** A dollar amount to three digits. */
export const usd = (value: number): string =>
  value === 0 ? "$0" : `$${Number(value.toPrecision(3)).toString()}`;
