import type { Trace } from "../api/traces.js";

const LOOKS: Readonly<Record<Trace["status"], string>> = { success: "good", error: "bad", timeout: "warn" };

export const StatusPill = ({ status }: Pick<Trace, "status">) => (
  <span class={`pill ${LOOKS[status]}`}>{status}</span>
);
