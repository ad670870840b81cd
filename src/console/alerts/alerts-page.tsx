import { type Alerts, fetchAlerts } from "../api/alerts.js";
import { fetchSettings } from "../api/settings.js";
import { PageHead, Tabs } from "../components/page.js";
import { Empty, Loaded, useResource } from "../components/resource.js";
import { type Column, TableFrame } from "../components/table.js";
import { Moment, Plain, TwoLines } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { Budgets } from "./budgets.js";
import { Incidents, useAttention } from "./incidents.js";
import { Rules } from "./rules.js";
import { Webhooks } from "./webhooks.js";

const TABS = ["Firing", "Rules", "Budgets", "Webhooks"] as const;
const tabOf = (name: string): string => `/alerts${name === "Firing" ? "" : `?tab=${name.toLowerCase()}`}`;

/** What fires, by which rules, whose budgets, and where it is sent. */
export function AlertsPage() {
  const [query] = useQuery();
  const alerts = useResource("alerts", fetchAlerts);
  const settings = useResource("settings", fetchSettings);
  const current = TABS.find((name) => name.toLowerCase() === query.get("tab")) ?? "Firing";
  const onChanged = (): void => {
    settings.reload();
    alerts.reload();
  };
  return (
    <>
      <PageHead title="Alerts" />
      <Tabs label="Alerts" tabs={TABS.map((name) => ({ name, href: tabOf(name) }))} current={current} />
      {current === "Firing" ? (
        <Loaded resource={alerts}>{(of) => <Firing of={of} />}</Loaded>
      ) : (
        <Loaded resource={settings}>
          {(of) =>
            current === "Rules" ? (
              <Rules of={of} onChanged={onChanged} />
            ) : current === "Budgets" ? (
              <Budgets of={of} onChanged={onChanged} />
            ) : (
              <Webhooks of={of} alerts={alerts.value} onChanged={onChanged} />
            )
          }
        </Loaded>
      )}
    </>
  );
}

/** What needs an operator, as on the overview, and what fired and resolved. */
function Firing({ of: { recent, looked_at: lookedAt } }: { readonly of: Alerts }) {
  const attention = useAttention();
  return (
    <>
      <Loaded resource={attention}>
        {(of) => (
          <>
            {of.conditions.length === 0 && (
              <Empty title="Nothing is firing">
                Rules were checked <Moment at={lookedAt} />.
              </Empty>
            )}
            <Incidents of={of} onChanged={attention.reload} />
          </>
        )}
      </Loaded>
      {recent.length > 0 && (
        <TableFrame
          label="Fired and resolved"
          title="History"
          ordered="history"
          columns={HISTORY}
          rows={recent}
          keyOf={({ id }) => id}
        />
      )}
    </>
  );
}

const HISTORY: readonly Column<Alerts["recent"][number]>[] = [
  {
    head: "Alert",
    look: "message",
    values: [{ name: "title", of: ({ title }) => title }],
    cell: ({ title, detail }) => (
      <TwoLines below={<Plain text={detail} />}>
        <Plain text={title} />
      </TwoLines>
    ),
  },
  {
    head: "Event",
    values: [{ name: "type", of: ({ type }) => type }],
    cell: ({ type }) => (
      <span class={`pill ${type === "alert.fired" ? "bad" : "good"}`}>{type.replace("alert.", "")}</span>
    ),
  },
  {
    head: "Time",
    values: [{ name: "at", of: ({ at }) => at }],
    cell: ({ at }) => <Moment at={at} shows="time" />,
  },
  { head: "Fired", cell: ({ fired_at: at }) => <Moment at={at} shows="time" /> },
];
