import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Attention, attention, reloadAttention } from "../api/attention.js";
import type { AdminEvent } from "../api/events.js";
import { count, counted } from "../components/format.js";
import { Link } from "../components/link.js";
import { Menu } from "../components/menu.js";
import { Section } from "../components/page.js";
import { Notice, type Resource, useAction } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";
import { RefusedUse } from "../keys/key-parts.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { choicesFor, keyChoice, type PauseChoice } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import { type Alert, alertPath, endSilences, RULE_PILLS, SilenceDialog, SilenceText } from "./alert-parts.js";

/** What needs an operator now, which the shell asks for again each minute. */
export function useAttention(): Resource<Attention> {
  const { value, fault } = attention.value;
  return { value, fault, isLoading: value === undefined, reload: () => void reloadAttention() };
}

type Condition = Attention["conditions"][number];

/** Something that needs an operator: all that has one cause. */
interface Incident {
  readonly key: string;
  readonly pill: readonly [look: "bad" | "warn", label: string];
  readonly title: string;
  /** Where it is dealt with. */
  readonly href: string;
  readonly details: readonly ComponentChildren[];
  /** What of it can be silenced. */
  readonly alerts: readonly Condition[];
  readonly choices?: readonly PauseChoice[];
}

/** Those of which nobody knows first. */
function incidentsOf(of: Attention): readonly Incident[] {
  const byCause = [
    ...Map.groupBy(of.conditions, ({ rule, target }) => JSON.stringify(target ?? rule)).values(),
  ];
  const refusedBy = (name: string) => of.refusals?.find(({ budget }) => budget === name)?.requests ?? 0;
  const conditions = byCause.flatMap((all): Incident[] => {
    // What is used up comes before what is nearly so.
    const alerts = all.toSorted((one, other) => Number(isUsedUp(other)) - Number(isUsedUp(one)));
    const [first] = alerts;
    if (first === undefined) return [];
    const { target } = first;
    const account = target?.type === "provider" ? of.refused[target.id] : undefined;
    const refused = target?.type === "budget" ? refusedBy(target.id) : 0;
    return [
      {
        key: `${first.rule} ${first.subject}`,
        pill: RULE_PILLS[first.rule],
        title: first.title,
        href: alertPath(first),
        details: [
          ...(account === undefined ? [] : [`refuses your account: ${account}`]),
          ...(refused > 0 ? [refusedText(refused)] : []),
          ...alerts
            .slice(0, MOST_DETAILS)
            .map(({ title, detail }) => (title === first.title ? detail : `${title}: ${detail}`)),
          ...(alerts.length > MOST_DETAILS ? [`and ${count(alerts.length - MOST_DETAILS)} more`] : []),
        ],
        alerts,
        ...(target !== null && { choices: choicesOf(target) }),
      },
    ];
  });
  const known = new Set(conditions.flatMap(({ alerts }) => alerts.flatMap(({ target }) => target?.id ?? [])));
  const all = [...conditions, ...others(of, known)];
  return all.toSorted((left, right) => Number(isKnown(left)) - Number(isKnown(right)));
}

const MOST_DETAILS = 3;

const isUsedUp = ({ subject }: Condition): boolean => subject.endsWith(", limit");

const refusedText = (requests: number): string => `${counted(requests, "request")} refused in 24 hours.`;

const isKnown = ({ alerts }: Incident): boolean =>
  alerts.length > 0 && alerts.every(({ silence }) => silence !== null);

function choicesOf({ type, id }: NonNullable<Alert["target"]>): readonly PauseChoice[] {
  if (type === "key") return [keyChoice({ id, name: id })];
  return type === "budget" ? [] : choicesFor(type === "model" ? id : null, type === "provider" ? id : null);
}

type Pill = Incident["pill"];

/** One that no rule of alerts finds. */
const incident = (
  key: string,
  pill: Pill,
  ...[title, href, ...details]: [string, string, ...Incident["details"]]
): Incident => ({
  key,
  pill,
  title,
  href,
  details,
  alerts: [],
});

/** Settings and profiles that could not be used when they were loaded last. */
const refusedChanges = (events: readonly AdminEvent[]): readonly Incident[] =>
  (["settings", "profiles"] as const).flatMap((type) => {
    const last = events.find(({ target }) => target.type === type);
    if (last === undefined || !last.kind.endsWith(".refused")) return [];
    const title = `Changed ${type} cannot be used`;
    const { reason = "The log has the reason." } = last.details;
    const href = type === "profiles" ? "/profiles" : "/alerts?tab=rules";
    return incident(last.id, ["bad", "refused"], title, href, String(reason), <Moment at={last.at} />);
  });

/** What limits and budgets refuse, accounts that vendors refuse, stuck agents and old secrets. */
const others = (of: Attention, known: ReadonlySet<string>): readonly Incident[] => [
  ...refusedChanges(of.events ?? []),
  ...Object.entries(of.refused).flatMap(([id, reason]) => {
    if (known.has(id)) return [];
    const title = `${id} refuses your account`;
    const found = incident(`account ${id}`, ["bad", "account"], title, `/providers?provider=${id}`, reason);
    return { ...found, choices: choicesFor(null, id) };
  }),
  ...(of.refusals ?? []).flatMap(({ budget, requests }) =>
    budget === null || known.has(budget)
      ? []
      : incident(
          `budget ${budget}`,
          ["warn", "budget"],
          `Budget ${budget} refuses requests`,
          alertPath({ target: { type: "budget", id: budget } }),
          refusedText(requests),
        ),
  ),
  ...(of.stuck ?? []).map(({ model, source, requests, request_id: id }) =>
    incident(
      `stuck ${id}`,
      ["warn", "stuck"],
      `Agent in ${source} is looping on ${model ?? "no model"}`,
      `/traces/${id}`,
      <Link href="/traces?range=1h&tool_loop=stuck">{counted(requests, "request")} in the last hour</Link>,
    ),
  ),
  ...of.replaced_secrets.map(({ id, name, ...refused }) =>
    incident(
      `${id} replaced secret`,
      ["warn", "old secret"],
      `Key ${name} is used with its old secret`,
      `/keys/${id}`,
      <RefusedUse of={refused} />,
    ),
  ),
];

interface IncidentsProps {
  readonly of: Attention;
  readonly onChanged: () => void;
}

const MOST_CARDS = 6;

/** Incidents as cards with what can be done about each, and what is paused. */
export function Incidents({ of, onChanged }: IncidentsProps) {
  const [silencing, setSilencing] = useState<readonly Condition[]>();
  const incidents = incidentsOf(of);
  const cards = (some: readonly Incident[]) => (
    <ul class="incidents">
      {some.map((incident) => (
        <Card
          key={incident.key}
          of={incident}
          onSilence={() => setSilencing(incident.alerts)}
          onChanged={onChanged}
        />
      ))}
    </ul>
  );
  if (incidents.length === 0 && of.pauses.length === 0) return null;
  return (
    <Section id="incidents" title="Needs attention">
      {cards(incidents.slice(0, MOST_CARDS))}
      {incidents.length > MOST_CARDS && (
        <details class="small">
          <summary class="muted">{count(incidents.length - MOST_CARDS)} more</summary>
          {cards(incidents.slice(MOST_CARDS))}
        </details>
      )}
      <ActivePauses pauses={of.pauses} />
      {silencing !== undefined && (
        <SilenceDialog
          alerts={silencing}
          onClose={() => setSilencing(undefined)}
          onDone={() => {
            setSilencing(undefined);
            onChanged();
          }}
        />
      )}
    </Section>
  );
}

interface CardProps {
  readonly of: Incident;
  readonly onSilence: () => void;
  readonly onChanged: () => void;
}

function Card({ of: { pill, title, href, details, alerts, choices = [] }, onSilence, onChanged }: CardProps) {
  const [look, label] = pill;
  const [first] = alerts;
  const end = useAction(() => endSilences(alerts).finally(onChanged));
  const silence = alerts.every((one) => one.silence !== null) ? (first?.silence ?? null) : null;
  const items = [
    ...(choices.length > 0
      ? [{ label: "Pause…", onSelect: () => openPause({ choices, reason: title }) }]
      : []),
    ...(first === undefined
      ? []
      : [
          silence === null
            ? { label: "Silence…", onSelect: onSilence }
            : { label: "End silence", onSelect: end.run },
        ]),
  ];
  return (
    <li class="card incident">
      <div class="row">
        <span class={`pill ${look}`}>{label}</span>
        <Link href={href}>
          <Plain text={title} />
        </Link>
        <Menu label={`Actions for ${title}`} items={items} />
      </div>
      <div class="muted small">
        {details.map((detail, at) => (
          <div key={at}>{typeof detail === "string" ? <Plain text={detail} /> : detail}</div>
        ))}
        {silence !== null ? (
          <SilenceText of={silence} />
        ) : (
          first?.since != null && (
            <>
              since <Moment at={first.since} />
            </>
          )
        )}
      </div>
      {end.fault !== undefined && <Notice kind="error">{end.fault}</Notice>}
    </li>
  );
}

/** Above the figures: how many there are. */
export function IncidentStrip({ of }: { readonly of: Attention | undefined }) {
  const open = of === undefined ? [] : incidentsOf(of).filter((one) => !isKnown(one));
  if (open.length === 0) return null;
  const [first] = open;
  return (
    <p class={`notice strip ${open.some(({ pill: [look] }) => look === "bad") ? "error" : "warning"}`}>
      <a href="#incidents">
        {open.length === 1 ? "1 incident needs attention" : `${count(open.length)} incidents need attention`}
      </a>
      : <Plain text={first?.title ?? ""} />
      {open.length > 1 && " …"}
    </p>
  );
}
