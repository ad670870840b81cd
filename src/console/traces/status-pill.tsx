import type { Status } from "../api/traces.js";

const LOOKS: Readonly<Record<Status, string>> = { success: "good", error: "bad", timeout: "warn" };

export const StatusPill = ({ status }: { readonly status: Status }) => (
  <span class={`pill ${LOOKS[status]}`}>{status}</span>
);
