import type { ConversationBody, TurnBody } from "../../gateway/features/traces/schema/conversation.js";
import type { FeedbackBody, FeedbackRequest } from "../../gateway/features/traces/schema/feedback.js";
import type {
  OperatorTraceBody,
  RouteAgainBody,
} from "../../gateway/features/traces/schema/operator-trace.js";
import type { AdminTraceListBody, TracedMessageBody } from "../../gateway/features/traces/schema/trace.js";
import type { ExportFormatName } from "../../gateway/features/traces/schema/trace-query.js";
import type { TraceValuesBody } from "../../gateway/features/traces/schema/trace-values.js";
import { call, fetchFile } from "./call.js";
import { namesOf } from "./names.js";

export type {
  AdminTraceListBody as TraceList,
  ConversationBody as Conversation,
  OperatorTraceBody as Trace,
  RouteAgainBody as RoutedAgain,
  TracedMessageBody as TracedMessage,
  TraceValuesBody as TraceValues,
  TurnBody as Turn,
};
export type TraceSummary = AdminTraceListBody["traces"][number];

/** @param query as the API takes it */
export const listTraces = (query: URLSearchParams, signal: AbortSignal): Promise<AdminTraceListBody> =>
  call("/admin/traces", { query, signal });

const pathOf = (requestId: string): string => `/admin/traces/${encodeURIComponent(requestId)}`;

export const findTrace = (requestId: string, signal: AbortSignal): Promise<OperatorTraceBody> =>
  call(pathOf(requestId), { signal });

/** What would be decided for a finished request now. */
export const routeAgain = (
  requestId: string,
  costWeight: number,
  signal: AbortSignal,
): Promise<RouteAgainBody> =>
  call(`${pathOf(requestId)}/route`, {
    method: "POST",
    body: { cost_weight: costWeight },
    signal,
  });

export const giveFeedback = (body: FeedbackRequest): Promise<FeedbackBody> =>
  call("/v1/feedback", { method: "POST", body });

/** @param query filters as the API takes them, a metadata value among them */
export const findConversation = (query: URLSearchParams, signal: AbortSignal): Promise<ConversationBody> =>
  call("/admin/traces/conversation", { query, signal });

/** What the newest traces can be filtered by. */
export const traceValues = (signal: AbortSignal): Promise<TraceValuesBody> =>
  call("/admin/traces/values", { signal });

/** What of all traces has a text: requests in their prompt or answer, three of them; values of metadata; ends of ids. */
export async function findText(
  text: string,
  signal: AbortSignal,
): Promise<AdminTraceListBody & TraceValuesBody> {
  const [list, values] = await Promise.all([
    call<AdminTraceListBody>("/admin/traces", { query: { q: text, limit: 3 }, signal }),
    call<TraceValuesBody>("/admin/traces/values", { query: { q: text }, signal }),
  ]);
  return { ...list, ...values };
}

export const EXPORT_FORMATS = namesOf<ExportFormatName>({ jsonl: true, csv: true });
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** @param query filters as the API takes them, without a page and an order */
export const exportTraces = (
  format: ExportFormat,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Blob> =>
  fetchFile("/admin/traces/export", {
    query: new URLSearchParams([...query, ["format", format]]),
    signal,
  });
