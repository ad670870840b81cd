import { RARE_TEXT } from "../traces/made-up-traces.js";

/** A page of the console, and what there is once it shows what it is for. */
export interface TimedPage {
  /** Within ids of figures. */
  readonly id: string;
  readonly label: string;
  readonly path: string;
  /** CSS selector; what it selects is not there while the page loads. */
  readonly content: string;
}

const ROW = "tbody tr";

/** @param one a trace, with a metadata value that some others share */
export const timedPages = (one: {
  readonly requestId: string;
  readonly user: string;
}): readonly TimedPage[] => [
  { id: "shell", label: "A page without content", path: "/none", content: "h1" },
  { id: "overview", label: "Overview, the last hour", path: "/", content: ROW },
  { id: "overview_30d", label: "Overview, 30 days", path: "/?range=30d", content: ROW },
  { id: "traces", label: "Traces", path: "/traces", content: ROW },
  {
    id: "traces_by_cost",
    label: "Traces, most expensive first",
    path: "/traces?sort=cost_usd",
    content: ROW,
  },
  {
    id: "traces_filtered",
    label: "Traces of one tenant",
    path: "/traces?metadata.tenant=tenant-03",
    content: ROW,
  },
  {
    id: "search",
    label: "Search for a rare text",
    path: `/traces?${new URLSearchParams({ q: RARE_TEXT })}`,
    content: ROW,
  },
  { id: "trace", label: "One trace", path: `/traces/${one.requestId}`, content: ".bubble" },
  {
    id: "conversation",
    label: "Conversation of one user",
    path: `/conversation?${new URLSearchParams({ "metadata.user": one.user })}`,
    content: ".bubble",
  },
  { id: "failures", label: "Failures, 30 days", path: "/failures?range=30d", content: ROW },
  { id: "keys", label: "Keys", path: "/keys", content: ROW },
];
