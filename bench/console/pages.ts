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

/** @param one a trace, with a metadata value that some others share, and a key */
export const timedPages = (one: {
  readonly requestId: string;
  readonly user: string;
  readonly keyId: string;
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
  {
    id: "overview_month",
    label: "Overview, the month by tenant",
    path: "/?range=month&by=tenant",
    content: `${ROW}, .chart canvas`,
  },
  {
    id: "overview_keys",
    label: "Overview, 30 days by key",
    path: "/?range=30d&by=key",
    content: ROW,
  },
  { id: "failures", label: "Failures, 30 days", path: "/failures?range=30d", content: ROW },
  { id: "keys", label: "Keys", path: "/keys", content: ROW },
  { id: "key", label: "One key", path: `/keys/${one.keyId}`, content: "canvas" },
  { id: "router", label: "Router", path: "/router", content: "textarea" },
  {
    id: "past_traffic",
    label: "Router, past traffic of a week",
    path: "/router?view=past+traffic&range=7d",
    content: ROW,
  },
  { id: "profiles", label: "Profiles", path: "/profiles", content: ROW },
  { id: "providers", label: "Providers", path: "/providers", content: "details.provider, .provider" },
];
