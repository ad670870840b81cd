import type {
  AlertsBody,
  AlertTestReply,
  NewSilenceBody,
  SilenceBody,
} from "../../gateway/features/alerts/schema.js";
import type { BudgetBody } from "../../gateway/features/budgets/schema.js";
import { call, callList } from "./call.js";

export type { AlertsBody as Alerts, BudgetBody as Budget, SilenceBody as Silence };

export const fetchAlerts = (signal?: AbortSignal): Promise<AlertsBody> => call("/admin/alerts", { signal });

/** The fullest first. */
export const listBudgets = (signal: AbortSignal): Promise<readonly BudgetBody[]> =>
  callList("/admin/budgets", { signal });

/** Sends a test to one webhook now. */
export const testAlerts = (webhook: string): Promise<AlertTestReply> =>
  call("/admin/alerts/test", { method: "POST", body: { webhook } });

export const startSilence = (body: NewSilenceBody): Promise<SilenceBody> =>
  call("/admin/alerts/silences", { method: "POST", body });

export const endSilence = (id: string): Promise<SilenceBody> =>
  call(`/admin/alerts/silences/${encodeURIComponent(id)}`, { method: "DELETE" });
