const DAY_MS = 86_400_000;
/** Days within which an end is soon: time to choose and measure another model (guess). */
const SOON_DAYS = 90;

interface Served {
  /** ISO 8601; null: none is known. */
  readonly retires_at: string | null;
}

/** `retired`: requests that name the model are still sent, but the router never chooses it. */
export type Retirement = "retired" | "soon" | "later";

/** @param day ISO 8601; null: none is known */
export function retirementStage(day: string | null, nowMs: number): Retirement | null {
  if (day === null) return null;
  const leftMs = Date.parse(day) - nowMs;
  return leftMs <= 0 ? "retired" : leftMs < SOON_DAYS * DAY_MS ? "soon" : "later";
}

/** Models that the provider stops serving soon. */
export const retiringSoon = <Model extends Served>(
  models: readonly Model[],
  nowMs: number,
): readonly Model[] => models.filter(({ retires_at: day }) => retirementStage(day, nowMs) === "soon");

/** The same models, those behind that the provider has retired. */
export function retiredLast<Model extends Served>(models: readonly Model[], nowMs: number): readonly Model[] {
  const isRetired = ({ retires_at: day }: Served) => retirementStage(day, nowMs) === "retired";
  return [...models.filter((model) => !isRetired(model)), ...models.filter(isRetired)];
}
