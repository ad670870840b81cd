import { type Alerts, type Budget, fetchAlerts, listBudgets, testAlerts } from "../api/alerts.js";
import { changeSettings, fetchSettings, type OperatorSettings } from "../api/settings.js";
import { Bar } from "../components/bar.js";
import { Button } from "../components/controls.js";
import { dollars, percent, shortCount, UNKNOWN } from "../components/format.js";
import { PageHead, Section } from "../components/page.js";
import { Loaded, Notice, useAction, useResource } from "../components/resource.js";
import { type Column, priced, TableFrame } from "../components/table.js";
import { Moment, Plain } from "../components/text.js";

/** Budgets of teams, sources and tags, and alerts: what fires, where it is sent, and how both are set up. */
export function AlertsPage() {
  const alerts = useResource("alerts", fetchAlerts);
  const budgets = useResource("budgets", listBudgets);
  const settings = useResource("settings", fetchSettings);
  return (
    <>
      <PageHead
        title="Alerts"
        lead="Budgets of teams, sources and tags, what fires now, and where it is sent."
      />
      <Loaded resource={alerts}>
        {(of) => (
          <>
            <Firing of={of} />
            <Webhooks of={of} onTested={alerts.reload} />
          </>
        )}
      </Loaded>
      <Loaded resource={budgets}>{(list) => <Budgets of={list} />}</Loaded>
      {alerts.value !== undefined && (
        <Loaded resource={settings}>
          {({ sources }) => (
            <Rules
              of={alerts.value?.rules ?? []}
              sources={sources}
              onChanged={() => {
                alerts.reload();
                settings.reload();
              }}
            />
          )}
        </Loaded>
      )}
    </>
  );
}

const Firing = ({ of: { firing, looked_at: lookedAt, webhooks } }: { readonly of: Alerts }) => (
  <Section title="Firing now">
    {firing.length > 0 && (
      <ul class="attention">
        {firing.map(({ rule, subject, title, detail, since }) => (
          <li key={`${rule} ${subject}`}>
            <span class="pill bad">firing</span> <Plain text={title} />, <Moment at={since} />:{" "}
            <Plain text={detail} />
          </li>
        ))}
      </ul>
    )}
    <p class="muted small">
      {firing.length === 0 && webhooks.length > 0 && "Nothing is firing. "}
      {webhooks.length === 0 ? (
        "Alerts are sent once there is a webhook. The overview shows what holds now."
      ) : (
        <>
          Last checked: <Moment at={lookedAt} />.
        </>
      )}
    </p>
  </Section>
);

type Webhook = Alerts["webhooks"][number];

function Webhooks({ of: { webhooks }, onTested }: { readonly of: Alerts; readonly onTested: () => void }) {
  return (
    <TableFrame
      label="Webhooks"
      columns={[
        ...WEBHOOK_COLUMNS,
        {
          head: "Test",
          kind: "unseen",
          look: "right",
          cell: ({ name }) => <TestButton webhook={name} onTested={onTested} />,
        },
      ]}
      rows={webhooks}
      keyOf={({ name }) => name}
      empty={{ title: "No webhooks yet", text: "docs/alerts.md says how to add one." }}
    />
  );
}

const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { head: "Webhook", cell: ({ name }) => name },
  { head: "Format", cell: ({ form, signed }) => (signed ? `${form}, signed` : form) },
  { head: "Host", cell: ({ host }) => <Plain text={host} /> },
  { head: "Queued", kind: "numeric", cell: ({ waiting }) => waiting },
  {
    head: "Last sent",
    cell: ({ last }) =>
      last === null ? (
        <span class="muted">nothing yet</span>
      ) : (
        <span>
          <Moment at={last.at} />: {last.ok ? last.status : <span class="pill bad">{last.status}</span>}
        </span>
      ),
  },
];

function TestButton({ webhook, onTested }: { readonly webhook: string; readonly onTested: () => void }) {
  const test = useAction(async () => {
    const [sent] = (await testAlerts(webhook)).data;
    onTested();
    if (sent?.ok !== true) throw new Error(`Not sent: ${sent?.status ?? "there is no such webhook"}`);
  });
  return (
    <>
      <Button
        disabled={test.running !== undefined}
        aria-label={`Send a test to ${webhook}`}
        onClick={() => test.run()}
      >
        Send a test
      </Button>
      {test.fault !== undefined && <Notice kind="error">{test.fault}</Notice>}
    </>
  );
}

const Budgets = ({ of }: { readonly of: readonly Budget[] }) => (
  <TableFrame
    label="Budgets"
    columns={BUDGET_COLUMNS}
    rows={of}
    keyOf={({ name, value }) => `${name} ${value}`}
    ordered="sort"
    empty={{ title: "No budgets yet", text: "docs/access.md says how to add one." }}
  />
);

const LOOKS = { ok: "plain", warning: "near", reached: "full" } as const;

const BUDGET_COLUMNS: readonly Column<Budget>[] = [
  { head: "Budget", values: [{ name: "name", of: ({ name }) => name }], cell: ({ name }) => name },
  {
    head: "Applies to",
    values: [{ name: "value", of: ({ value }) => value }],
    cell: ({ by, value }) => (
      <span>
        <span class="muted">{by}</span> {value === "" ? by !== "all" && "not named" : <Plain text={value} />}
      </span>
    ),
  },
  {
    head: "Used",
    look: "tight",
    values: [{ name: "used_usd", of: ({ usd }) => usd?.used ?? null }],
    cell: ({ usd, requests_per_minute: requests, tokens_per_minute: tokens, period, state }) => (
      <>
        {usd !== null && (
          <>
            <Bar share={Math.min(1, usd.used / usd.limit)} look={LOOKS[state]} />
            <div class="number">
              {dollars(usd.used)} / {dollars(usd.limit)} a {period} ({percent(usd.used / usd.limit)})
            </div>
          </>
        )}
        {requests !== null && (
          <div>{`${shortCount(requests.used)} / ${shortCount(requests.limit)} requests/min`}</div>
        )}
        {tokens !== null && (
          <div>{`${shortCount(tokens.used)} / ${shortCount(tokens.limit)} tokens/min`}</div>
        )}
      </>
    ),
  },
  priced("Forecast", ({ forecast_usd: usd }) => usd, {
    hint: "When the period ends, if spending goes on as in it so far",
    name: "forecast_usd",
  }),
  // Limits a minute do not wait for the end of the period.
  { head: "Resets", cell: ({ usd, resets_at: at }) => (usd === null ? UNKNOWN : <Moment at={at} />) },
  {
    head: "At the limit",
    look: "tight",
    cell: ({ preset }) => (preset === null ? "refused" : `preset ${preset}`),
  },
];

function Rules({
  of,
  sources,
  onChanged,
}: { readonly of: Alerts["rules"]; readonly onChanged: () => void } & Pick<OperatorSettings, "sources">) {
  const change = useAction(async (_signal, rule: string, value: false | null) => {
    await changeSettings({ alerts: { rules: { [rule]: value } } });
    onChanged();
  });
  return (
    <>
      {change.fault !== undefined && <Notice kind="error">{change.fault}</Notice>}
      <TableFrame
        label="Rules"
        columns={[
          { head: "Rule", cell: ({ rule }) => <code>{rule}</code> },
          { head: "State", cell: ({ on }) => (on ? "on" : <span class="muted">off</span>) },
          {
            head: "Thresholds",
            cell: ({ thresholds }) =>
              Object.entries(thresholds)
                .map(([name, value]) => `${name} ${value}`)
                .join(", ") || UNKNOWN,
          },
          {
            head: "Change",
            kind: "unseen",
            look: "right",
            cell: ({ rule, on }) => (
              <>
                {sources[`alerts.rules.${rule}`] === "console" && (
                  <Button aria-label={`Reset ${rule}`} onClick={() => change.run(rule, null)}>
                    Reset
                  </Button>
                )}
                {on && (
                  <Button aria-label={`Turn ${rule} off`} onClick={() => change.run(rule, false)}>
                    Turn off
                  </Button>
                )}
              </>
            ),
          },
        ]}
        rows={of}
        keyOf={({ rule }) => rule}
      />
    </>
  );
}
