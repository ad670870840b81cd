import type { CauseBody as Cause } from "../../gateway/api/traces/causes.js";

const CAUSE_SORTS = ["failed", "rescued", "share", "last_seen"] as const;
export type CauseSort = (typeof CAUSE_SORTS)[number];

export interface CauseOrder {
  readonly sort: CauseSort;
  readonly order: "desc" | "asc";
}

/** The order in an address, such as `share asc`; by default the most failed first. */
export function causeOrderOf(text: string | null): CauseOrder {
  const [name, order] = (text ?? "").split(" ");
  const sort = CAUSE_SORTS.find((one) => one === name) ?? "failed";
  return { sort, order: order === "asc" ? "asc" : "desc" };
}

const FIGURES: Readonly<Record<CauseSort, (cause: Cause) => number>> = {
  failed: ({ failed }) => failed,
  rescued: ({ rescued }) => rescued,
  share: ({ share }) => share ?? -1,
  last_seen: ({ last_seen: at }) => Date.parse(at),
};

/** Those that have the text in their code, message, model or provider, in any case; equal ones keep their order. */
export function chosenCauses(
  causes: readonly Cause[],
  { text, order: { sort, order } }: { readonly text: string; readonly order: CauseOrder },
): readonly Cause[] {
  const wanted = text.trim().toLowerCase();
  const figure = FIGURES[sort];
  return causes
    .filter(({ code, message, model, provider }) =>
      [code, message, model, provider].some((field) => field?.toLowerCase().includes(wanted)),
    )
    .toSorted((left, right) => (figure(right) - figure(left)) * (order === "desc" ? 1 : -1));
}

/** The filters that find its requests, failed or rescued. */
export function tracesOfCause(
  { code: attempt_code, model: model_id, provider }: Pick<Cause, "code" | "model" | "provider">,
  filters: Readonly<Record<string, string>>,
): URLSearchParams {
  const traces = new URLSearchParams(filters);
  for (const [name, value] of Object.entries({ attempt_code, model_id, provider }))
    if (value !== null) traces.set(name, value);
  return traces;
}
