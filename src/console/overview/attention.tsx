import type { ComponentChildren } from "preact";
import { type Attention, attention, reloadAttention } from "../api/attention.js";
import type { AdminEvent } from "../api/events.js";
import { changePercent, changeSince, count, dollars } from "../components/format.js";
import { Link } from "../components/link.js";
import { Section } from "../components/page.js";
import type { Resource } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";
import { actorText, actText } from "../keys/event-text.js";
import { RefusedUse } from "../keys/key-parts.js";
import { ActivePauses } from "../pauses/active-pauses.js";

/** What needs an operator now, which the shell asks for again each minute. */
export function useAttention(): Resource<Attention> {
  const { value, fault } = attention.value;
  return { value, fault, isLoading: value === undefined, reload: () => void reloadAttention() };
}

/** Each line with the way to where it is dealt with; two quiet lines when nothing needs an operator. */
export function NeedsAttention({ of: { value, fault, reload } }: { readonly of: Resource<Attention> }) {
  // Room for the quiet lines, so that the figures below stay where they are. Without an answer they stand for themselves.
  if (value === undefined) return fault === undefined ? <div class="attention-quiet muted small" /> : null;
  return <Content of={value} onChanged={reload} />;
}

interface ContentProps {
  readonly of: Attention;
  readonly onChanged: () => void;
}

function Content({ of, onChanged }: ContentProps) {
  // One kind does not crowd out the other.
  const kinds = [
    refusedLines(of.events ?? []),
    Object.entries(of.refused).map(accountLine),
    of.conditions.filter(({ rule }) => FAILURE_RULES.has(rule)).map(conditionLine),
    (of.stuck ?? []).map(stuckLine),
    of.replaced_secrets.map(secretLine),
    of.conditions.filter(({ rule }) => !FAILURE_RULES.has(rule)).map(conditionLine),
  ];
  const lines = kinds.flatMap((kind) => kind.slice(0, MOST_LINES));
  const more = kinds.flatMap((kind) => kind.slice(MOST_LINES));
  return (
    <>
      {lines.length > 0 && (
        <Section title="Needs you now">
          <Lines of={lines} />
          {more.length > 0 && (
            <details class="small">
              <summary class="muted">and {count(more.length)} more</summary>
              <Lines of={more} />
            </details>
          )}
        </Section>
      )}
      <ActivePauses pauses={of.pauses} onChanged={onChanged} />
      <div class="attention-quiet muted small">
        {lines.length === 0 && (
          <span>Nothing fails more than usual, and no key or budget is near its limit.</span>
        )}
        {of.spend !== null && <Spend of={of.spend} />}
        <Changes of={of.events ?? []} />
        <span>
          Alerts while this page is closed: <Link href="/alerts">to Slack or a webhook</Link>, or Prometheus,
          with the rules of <code>deploy/alerts.yml</code> over <code>/metrics</code>.
        </span>
      </div>
    </>
  );
}

/** Of a kind. */
const MOST_LINES = 5;

interface Line {
  readonly key: string;
  readonly line: ComponentChildren;
}

const Lines = ({ of }: { readonly of: readonly Line[] }) => (
  <ul class="attention">
    {of.map(({ key, line }) => (
      <li key={key}>{line}</li>
    ))}
  </ul>
);

type Condition = Attention["conditions"][number];

const RULE_PILLS: Readonly<Record<Condition["rule"], readonly [look: "bad" | "warn", label: string]>> = {
  budget: ["warn", "budget"],
  budget_forecast: ["warn", "budget"],
  spend_rise: ["warn", "spend"],
  error_rate: ["bad", "failing"],
  provider_down: ["bad", "down"],
  key_near_limit: ["warn", "near limit"],
};

const FAILURE_RULES: ReadonlySet<Condition["rule"]> = new Set(["error_rate", "provider_down"]);

/** Where a condition is dealt with. */
function placeOf({ target }: Condition): string {
  if (target === null) return "/?range=24h";
  if (target.type === "budget") return "/alerts";
  if (target.type === "key") return `/keys/${target.id}`;
  return `/failures?${new URLSearchParams({ range: "1h", q: target.id })}`;
}

function conditionLine(condition: Condition): Line {
  const { rule, subject, title, detail } = condition;
  const [look, label] = RULE_PILLS[rule];
  return {
    key: `${rule} ${subject}`,
    line: (
      <>
        <span class={`pill ${look}`}>{label}</span>{" "}
        <Link href={placeOf(condition)}>
          <Plain text={title} />
        </Link>
        : <Plain text={detail} />
      </>
    ),
  };
}

const accountLine = ([provider, reason]: readonly [string, string]): Line => ({
  key: `account ${provider}`,
  line: (
    <>
      <span class="pill bad">refused</span> your account at{" "}
      <Link href={`/providers?open=${provider}`}>{provider}</Link>: {reason}
    </>
  ),
});

/** Settings and profiles that could not be used when they were loaded last. */
function refusedLines(events: readonly AdminEvent[]): readonly Line[] {
  return (["settings", "profiles"] as const).flatMap((type) => {
    const last = events.find(({ target }) => target.type === type);
    if (last === undefined || !last.kind.endsWith(".refused")) return [];
    const { reason } = last.details;
    const line = (
      <>
        <span class="pill bad">refused</span> changed {type}, <Moment at={last.at} />:{" "}
        <Plain text={typeof reason === "string" ? reason : "the log has the reason"} />
      </>
    );
    return [{ key: last.id, line }];
  });
}

const stuckLine = ({
  model,
  source,
  requests,
  request_id: id,
}: NonNullable<Attention["stuck"]>[number]): Line => ({
  key: `stuck ${id}`,
  line: (
    <>
      <span class="pill warn">stuck</span> an agent of <Plain text={source} /> on{" "}
      <Plain text={model ?? "no model"} /> makes the same calls again and again,{" "}
      <Link href="/traces?range=1h&tool_loop=stuck">
        {count(requests)} {requests === 1 ? "request" : "requests"} in the last hour
      </Link>
      ; <Link href={`/traces/${id}`}>the newest</Link>
    </>
  ),
});

function secretLine({ id, name, ...refused }: Attention["replaced_secrets"][number]): Line {
  return {
    key: `${id} replaced secret`,
    line: (
      <>
        <span class="pill warn">old secret</span> key{" "}
        <Link href={`/keys/${id}`}>
          <Plain text={name} />
        </Link>
        : <RefusedUse of={refused} />
      </>
    ),
  };
}

function Spend({ of }: { readonly of: NonNullable<Attention["spend"]> }) {
  const change = (now: number, before: number, what: string): string => {
    const since = changeSince(before, now);
    return since === null ? `no spend ${what}` : `${changePercent(since)} against ${what}`;
  };
  return (
    <span>
      <Link href="/?range=24h">Spend</Link> today {dollars(of.day_usd)} (
      {change(of.day_usd, of.day_before_usd, "until this time a week ago")}), in 7 days {dollars(of.week_usd)}{" "}
      ({change(of.week_usd, of.week_before_usd, "in the week before")}).
    </span>
  );
}

const MOST_CHANGES = 3;

/** What operators did in the last day. */
function Changes({ of }: { readonly of: readonly AdminEvent[] }) {
  if (of.length === 0) return null;
  return (
    <span>
      Changed in the last day:{" "}
      {of.slice(0, MOST_CHANGES).map((event, at) => (
        <span key={event.id}>
          {at > 0 && "; "}
          <Change of={event} />
        </span>
      ))}
      {of.length > MOST_CHANGES && ` and ${count(of.length - MOST_CHANGES)} more`}.
    </span>
  );
}

/** Where the thing that was changed is shown. */
function pathOf({ type, id }: AdminEvent["target"]): string {
  if (type === "key") return `/keys/${id}`;
  if (type === "profiles") return "/profiles";
  return type === "provider" || type === "settings" ? "/providers" : "/failures";
}

const isFile = ({ type }: AdminEvent["target"]): boolean => type === "profiles" || type === "settings";

const Change = ({ of }: { readonly of: AdminEvent }) => (
  <>
    {!isFile(of.target) && `${of.target.type} `}
    <Link href={pathOf(of.target)}>
      {isFile(of.target) ? actText(of) : <Plain text={of.target.name ?? of.target.id} />}
    </Link>{" "}
    {!isFile(of.target) && `${actText(of)} `}by <Plain text={actorText(of)} />, <Moment at={of.at} />
  </>
);
