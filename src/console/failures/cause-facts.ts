import type { CauseBody as Cause } from "../../gateway/features/traces/schema/causes.js";

/** Those that have the text in their code, message, model or provider, in any case. */
export function causesWith(text: string, causes: readonly Cause[]): readonly Cause[] {
  const wanted = text.trim().toLowerCase();
  return causes.filter(({ code, message, model, provider }) =>
    [code, message, model, provider].some((field) => field?.toLowerCase().includes(wanted)),
  );
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
