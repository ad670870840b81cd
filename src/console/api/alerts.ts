import type { AlertsBody, AlertTestReply } from "../../gateway/features/alerts/schema.js";
import type { BudgetBody } from "../../gateway/features/budgets/schema.js";
import { call, callList } from "./call.js";

export type { AlertsBody as Alerts, BudgetBody as Budget };

export const fetchAlerts = (signal: AbortSignal): Promise<AlertsBody> => call("/admin/alerts", { signal });

/** The fullest first. */
export const listBudgets = (signal: AbortSignal): Promise<readonly BudgetBody[]> =>
  callList("/admin/budgets", { signal });

/** Sends a test to one webhook now. */
export const testAlerts = (webhook: string): Promise<AlertTestReply> =>
  call("/admin/alerts/test", { method: "POST", body: { webhook } });
