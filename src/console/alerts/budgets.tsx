import { type Budget, listBudgets } from "../api/alerts.js";
import type { OperatorSettings } from "../api/settings.js";
import { Bar } from "../components/bar.js";
import { count, dollars, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Link } from "../components/link.js";
import { Notice, useResource } from "../components/resource.js";
import { type Column, priced, TableFrame } from "../components/table.js";
import { Moment, Plain } from "../components/text.js";
import { TextFilter } from "../components/text-filter.js";
import { useQuery } from "../components/use-query.js";
import { Entries } from "./entries.js";
import { type EntryField, withChange } from "./entry-changes.js";

const MOST_VALUES = 10;
const LOOKS = { ok: "plain", warning: "near", reached: "full" } as const;

interface BudgetsProps {
  readonly of: OperatorSettings;
  readonly onChanged: () => void;
}

type Row = OperatorSettings["settings"]["budgets"][number] & {
  /** Undefined while they are not known. */
  readonly uses: readonly Budget[] | undefined;
};

/** What teams, sources and tags may spend: one row a budget, and the values of the open one. */
export function Budgets({ of, onChanged }: BudgetsProps) {
  const [query] = useQuery();
  const { budgets } = of.settings;
  const { value: uses, fault } = useResource(`budgets ${JSON.stringify(budgets)}`, listBudgets);
  const rows = budgets.map(
    (budget): Row => ({ ...budget, uses: uses?.filter(({ name }) => name === budget.name) }),
  );
  const shown =
    rows.find(({ name }) => name === query.get("budget")) ?? (rows.length === 1 ? rows[0] : undefined);
  return (
    <>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      <Entries<Row>
        what="budget"
        reset={of.sources.budgets === "console" && { budgets: null, version: of.version }}
        entries={rows}
        columns={COLUMNS}
        onChanged={onChanged}
        empty="A budget limits what each team, source or customer, or all together, may spend."
        fieldsOf={fieldsOf}
        patchOf={({ budgets: now }, { name, change }) => {
          const { preset, ...rest } = change ?? {};
          const at = preset === undefined ? {} : { at_limit: preset && { preset } };
          return { budgets: withChange(now, { name, change: change && { ...rest, ...at } }) };
        }}
      />
      {shown?.uses?.[0] && <Values key={shown.name} name={shown.name} uses={shown.uses} />}
    </>
  );
}

const fieldsOf = (of: Row | undefined): readonly EntryField[] => [
  ["name", "Name", "required", of?.name],
  ["by", "For each", "required", of?.by, ["team", "source", "key", "all", "metadata.customer"]],
  ["usd", "US dollars", "number", of?.usd],
  ["period", "Period", "choice", of?.period ?? "month", ["day", "week", "month"]],
  ["time_zone", "Time zone", "text", of?.time_zone ?? "UTC"],
  [
    "value",
    "Only the value",
    "text",
    of?.value,
    "Empty: each has its own; requests that name none share one.",
  ],
  ["requests_per_minute", "Requests per minute", "number", of?.requests_per_minute],
  ["tokens_per_minute", "Tokens per minute", "number", of?.tokens_per_minute],
  ["warn_at", "Warn at, 0 to 1", "number", of?.warn_at ?? 0.8],
  ["preset", "Preset at the limit", "text", of?.at_limit?.preset, "Empty: requests are refused."],
];

/** Null: not known, or not limited. */
const usedUsd = ({ usd: limit, uses }: Row): number | null =>
  limit === undefined || uses === undefined ? null : uses.reduce((sum, { usd }) => sum + (usd?.used ?? 0), 0);

const COLUMNS: readonly Column<Row>[] = [
  {
    head: "Budget",
    values: [{ name: "name", of: ({ name }) => name }],
    cell: ({ name }) => (
      <Link href={`/alerts?${new URLSearchParams({ tab: "budgets", budget: name })}`}>{name}</Link>
    ),
  },
  { head: "For each", cell: ({ by, value = "" }) => <Plain text={`${by} ${value}`} /> },
  {
    head: "Limit",
    cell: ({ usd, period, requests_per_minute: requests, tokens_per_minute: tokens }) =>
      [
        usd !== undefined && `${dollars(usd)} a ${period}`,
        requests !== undefined && `${shortCount(requests)} requests/min`,
        tokens !== undefined && `${shortCount(tokens)} tokens/min`,
      ]
        .filter(Boolean)
        .join(", "),
  },
  priced("Used", usedUsd, { name: "used_usd" }),
  {
    head: "State",
    cell: ({ uses }) => {
      if (uses === undefined) return UNKNOWN;
      const inState = (state: Budget["state"]) => uses.filter((use) => use.state === state).length;
      const [reached, near] = [inState("reached"), inState("warning")];
      return (
        <span class="row">
          {reached > 0 && <span class="pill bad">{count(reached)} reached</span>}
          {near > 0 && <span class="pill warn">{count(near)} near</span>}
          <span class="muted">of {count(uses.length)}</span>
        </span>
      );
    },
  },
  {
    head: "At the limit",
    cell: ({ at_limit: instead }) => (instead ? `preset ${instead.preset}` : "refuse"),
  },
];

const nameOf = ({ by, value }: Pick<Budget, "by" | "value">): string =>
  value !== ""
    ? value
    : by === "all"
      ? "all requests"
      : `requests that name no ${by.replace("metadata.", "")}`;

/** The fullest values, or those whose name has what is looked for. */
function Values({ name, uses }: { readonly name: string; readonly uses: readonly Budget[] }) {
  const [query] = useQuery();
  const wanted = query.get("q") ?? "";
  const found = uses.filter((use) => nameOf(use).toLowerCase().includes(wanted.toLowerCase()));
  return (
    <TableFrame
      label={`Values of ${name}`}
      title={name}
      ordered="values"
      tools={
        uses.length > MOST_VALUES && (
          <TextFilter label={`Find a value of ${name}`} placeholder={`Find among ${count(uses.length)}`} />
        )
      }
      columns={VALUE_COLUMNS}
      rows={wanted === "" ? found.slice(0, MOST_VALUES) : found}
      keyOf={({ value }) => value}
    />
  );
}

const VALUE_COLUMNS: readonly Column<Budget>[] = [
  { head: "Value", values: [{ name: "value", of: nameOf }], cell: (use) => <Plain text={nameOf(use)} /> },
  {
    head: "Used",
    values: [{ name: "used_usd", of: ({ usd }) => usd?.used ?? null }],
    cell: ({ usd, state, requests_per_minute: requests, tokens_per_minute: tokens }) => (
      <span class="bar-cell">
        {usd !== null && <Bar share={Math.min(1, usd.used / usd.limit)} look={LOOKS[state]} />}
        <span class="number">
          {[
            usd !== null && `${dollars(usd.used)} (${percent(usd.used / usd.limit)})`,
            requests !== null && `${shortCount(requests.used)} requests/min`,
            tokens !== null && `${shortCount(tokens.used)} tokens/min`,
          ]
            .filter(Boolean)
            .join(", ")}
        </span>
      </span>
    ),
  },
  {
    head: "State",
    cell: ({ state }) =>
      state === "ok" ? "ok" : <span class={`pill ${state === "reached" ? "bad" : "warn"}`}>{state}</span>,
  },
  priced("Forecast", ({ forecast_usd: usd }) => usd, {
    hint: "At the end of the period",
    name: "forecast_usd",
  }),
  { head: "Resets", cell: ({ resets_at: at }) => <Moment at={at} /> },
];
