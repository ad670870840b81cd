import type { Trace } from "../api/traces.js";

const LOOKS: Readonly<Record<Trace["status"], string>> = { success: "good", error: "bad", timeout: "warn" };

export const StatusPill = ({ status }: Pick<Trace, "status">) => (
  <span class={`pill ${LOOKS[status]}`}>{status}</span>
);

/** The same as a dot, with its word on hover and for screen readers. */
export const StatusDot = ({ status, code }: Pick<Trace, "status"> & { readonly code: string | null }) => (
  <span class={`dot ${LOOKS[status]}`} title={code ?? status}>
    <span class="unseen">{code ?? status}, </span>
  </span>
);
