import { percent } from "./format.js";

/** With its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** From so much more on, a change is shown as a multiple. */
const MANY = 9;

/** A change as a share, with its sign: −0.318 → −32%; 22.6 → ×24. */
export const changePercent = (change: number): string =>
  change >= MANY ? `×${(1 + change).toFixed(0)}` : signOf(change, percent(Math.abs(change)));

/** A change of a share in percentage points, with its sign: −0.0064 → −0.6. */
export const points = (change: number): string => signOf(change, (Math.abs(change) * 100).toFixed(1));

/** "−41% to −22%" */
export const rangeOf = ({ low, high }: Interval, format: (value: number) => string): string =>
  `${format(low)} to ${format(high)}`;

/** Nothing that rounds to nought has a sign. */
function signOf(change: number, text: string): string {
  if (!/[1-9]/.test(text)) return text;
  return change < 0 ? `−${text}` : `+${text}`;
}

/** As a share of what was before; null when that was nothing, or one of the two is not known. */
export const changeSince = (before: number | null | undefined, now: number | null): number | null =>
  now === null || before === null || before === undefined || before === 0 ? null : now / before - 1;
