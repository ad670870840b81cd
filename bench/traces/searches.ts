import type { TraceFilter, TracePage } from "../../src/gateway/traces/store.js";
import { DAY_MS, DAYS, END_MS, MODELS, PROVIDERS, RARE_TEXT, SOURCES, TENANTS } from "./made-up-traces.js";

/** One kind of search, with alternating filters so that it is not answered from a cache alone. */
export interface SearchCase {
  readonly name: string;
  readonly filters: readonly TraceFilter[];
  readonly page: TracePage;
  /** `texts` read the content and are timed less often. */
  readonly group: "pages" | "deep" | "texts";
}

const FIRST: TracePage = { limit: 100, offset: 0 };
const DEEP: TracePage = { limit: 100, offset: 10_000 };

/** A common value, one in the middle, and a rare one. */
const spreadOf = (values: readonly string[]): string[] =>
  [0, 0.2, 0.7].map((share) => values[Math.floor(share * values.length)] ?? "");

const daysBack = (from: number, to: number): TraceFilter => ({
  startMs: END_MS - from * DAY_MS,
  endMs: END_MS - to * DAY_MS,
});

const pages = (name: string, filters: readonly TraceFilter[]): SearchCase => ({
  name,
  filters,
  page: FIRST,
  group: "pages",
});

const SOURCE_FILTERS = spreadOf(SOURCES).map((source) => ({ source }));

/** Typical searches: the newest traces with the filters of the console and of scripts. */
export const SEARCHES: readonly SearchCase[] = [
  pages("none", [{}]),
  pages("source", SOURCE_FILTERS),
  pages(
    "model",
    spreadOf(MODELS).map((model) => ({ model })),
  ),
  pages("status", [{ status: "error" }, { status: "timeout" }, { status: "success" }]),
  pages(
    "provider",
    spreadOf(PROVIDERS).map((provider) => ({ provider })),
  ),
  pages("kind", [{ kind: "chat" }, { kind: "router" }, { kind: "completion" }]),
  pages("dates", [daysBack(1, 0), daysBack(45, 38), daysBack(DAYS, DAYS - 1)]),
  pages(
    "metadata",
    spreadOf(TENANTS).map((value) => ({ metadata: [{ key: "tenant", value }] })),
  ),
  pages(
    "source+dates",
    SOURCE_FILTERS.map((filter, at) => ({ ...filter, ...daysBack(7 * (at + 1), 7 * at) })),
  ),
  pages(
    "model+status",
    spreadOf(MODELS).map((model) => ({ model, status: "error" as const })),
  ),
  { name: "offset-10000", filters: [{}], page: DEEP, group: "deep" },
  { name: "offset-10000+source", filters: SOURCE_FILTERS.slice(0, 1), page: DEEP, group: "deep" },
  { name: "q-rare", filters: [{ text: RARE_TEXT }], page: FIRST, group: "texts" },
  { name: "q-absent", filters: [{ text: "a text that no prompt holds" }], page: FIRST, group: "texts" },
];
