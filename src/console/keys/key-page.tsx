import { useState } from "preact/hooks";
import { type Key, updateKey } from "../api/keys.js";
import { listPauses } from "../api/pauses.js";
import type { Refusal } from "../api/statistics.js";
import { chartLines } from "../charts/figures.js";
import type { Chart, Line } from "../charts/plot-options.js";
import { stepsOf } from "../charts/ranges.js";
import { TimeChart } from "../charts/time-chart.js";
import { Button, Icon } from "../components/controls.js";
import { shortDollars, wholeCount } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { Loaded, Notice, useAction, useResource } from "../components/resource.js";
import { Facts, type FactsProps, Moment, Plain } from "../components/text.js";
import { WeightMeaning } from "../cost-weights/weight-meanings.js";
import { CauseTable } from "../failures/cause-table.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { PauseDialog } from "../pauses/pause-dialog.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { KeyEvents } from "./key-events.js";
import { KeyActions, KeyState, KeyUse } from "./key-parts.js";
import { KEY_RANGE, type KeyDetail, loadKey } from "./load-keys.js";

/** One key: its limits, what it used, what was refused, what failed. */
export function KeyPage({ params: { id } }: { readonly params: { readonly id: string } }) {
  const detail = useResource(id, (signal) => loadKey(id, signal));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const pauses = useResource("pauses", listPauses);
  const [isPausing, setPausing] = useState(false);
  const key = detail.value?.key;
  return (
    <>
      <PageHead
        title={key?.name ?? "Key"}
        lead={
          <span class="row">
            <code>{id}</code>
            {key !== undefined && <KeyState of={key} />}
          </span>
        }
      >
        {key !== undefined && key.revoked_at === null && (
          <Button look="slim" onClick={() => setPausing(true)}>
            Pause…
          </Button>
        )}
        {key !== undefined && (
          <KeyActions of={key} onAct={(dialog, target) => setOpen({ dialog, key: target })} />
        )}
        <Link href="/keys" class="button">
          <Icon name="back" /> All keys
        </Link>
      </PageHead>
      <ActivePauses
        pauses={(pauses.value ?? []).filter((pause) => pause.kind === "key" && pause.target === id)}
        onChanged={pauses.reload}
      />
      <Loaded resource={detail}>{(value) => <Content detail={value} onChanged={detail.reload} />}</Loaded>
      {isPausing && (
        <PauseDialog
          choices={[
            { kind: "key", target: id, label: `key ${key?.name ?? id}: its requests are refused with 403` },
          ]}
          onClose={() => setPausing(false)}
          onDone={() => {
            setPausing(false);
            pauses.reload();
            detail.reload();
          }}
        />
      )}
      <KeyDialogs open={open} onOpen={setOpen} onChanged={detail.reload} />
    </>
  );
}

interface ContentProps {
  readonly detail: KeyDetail;
  readonly onChanged: () => void;
}

function Content({ detail, onChanged }: ContentProps) {
  const { key, causes, events } = detail;
  if (key === undefined) return <Notice kind="error">There is no such key.</Notice>;
  return (
    <>
      <KeyFacts of={key} onChanged={onChanged} />
      <Section title="Use of limits">
        <KeyUse of={key} />
      </Section>
      <KeyCharts detail={detail} />
      {causes !== undefined && (
        <>
          <div class="row spread">
            <h2>Failed requests, 24 hours</h2>
            <span class="row">
              <Link href={`/failures?${new URLSearchParams({ key: key.id, range: "30d" })}`}>
                Failures of 30 days
              </Link>
              <Link href={`/traces?${new URLSearchParams({ key: key.id })}`}>All its traces</Link>
            </span>
          </div>
          <CauseTable causes={causes} filters={{ key: key.id }} />
        </>
      )}
      <KeyEvents events={events} />
    </>
  );
}

interface KeyFactsProps {
  readonly of: Key;
  readonly onChanged: () => void;
}

function KeyFacts({ of: key, onChanged }: KeyFactsProps) {
  const facts: FactsProps["facts"] = [
    ["Secret", <code key="secret">{key.prefix}…</code>],
    ["Scopes", key.scopes.join(", ")],
    ["Source", key.source === null ? "any" : <Plain key="source" text={key.source} />],
    ...(key.cost_weight === null
      ? []
      : [
          [
            "Cost weight of auto",
            <span key="weight">
              {key.cost_weight} <WeightMeaning weight={key.cost_weight} />
            </span>,
          ] as const,
        ]),
    ["Created", <Moment key="created" at={key.created_at} />],
    ["Last used", <Moment key="used" at={key.last_used_at} />],
    ["Expires", <Moment key="expires" at={key.expires_at} />],
    ...(key.previous === null
      ? []
      : [
          [
            "Replaced secret",
            <ReplacedSecret key="previous" id={key.id} of={key.previous} onChanged={onChanged} />,
          ] as const,
        ]),
  ];
  return <Facts facts={facts} />;
}

interface ReplacedSecretProps {
  readonly id: string;
  readonly of: NonNullable<Key["previous"]>;
  readonly onChanged: () => void;
}

function ReplacedSecret({ id, of, onChanged }: ReplacedSecretProps) {
  const { run, running, fault } = useAction(async () => {
    await updateKey(id, { previous: null });
    onChanged();
  });
  const works = Date.parse(of.expires_at) > Date.now();
  return (
    <span class="row">
      <span>
        <code>{of.prefix}…</code> {works ? "works, and ends" : "ended"} <Moment at={of.expires_at} />
      </span>
      {works && (
        <Button look="slim" disabled={running !== undefined} onClick={() => run()}>
          End now
        </Button>
      )}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </span>
  );
}

const LIMITS: readonly (readonly [limit: Refusal["limit"], colour: Line["colour"]])[] = [
  ["requests", 2],
  ["tokens", 4],
  ["budget", 5],
];

/** Requests, spend and refusals of a key over the last day. */
function KeyCharts({ detail: { startMs, points, refusals } }: { readonly detail: KeyDetail }) {
  const steps = stepsOf(startMs, KEY_RANGE);
  const refused = Map.groupBy(refusals, ({ start, limit }) => `${limit} ${Date.parse(start) / 1000}`);
  const charts: readonly Pick<Chart, "title" | "lines" | "format">[] = [
    {
      title: "Refused requests by limit",
      format: wholeCount,
      lines: LIMITS.map(([label, colour]) => ({
        label,
        colour,
        values: steps.map((second) => refused.get(`${label} ${second}`)?.[0]?.requests ?? 0),
      })),
    },
    ...(points === undefined
      ? []
      : [
          {
            title: "Accepted requests",
            format: wholeCount,
            lines: chartLines({ points, steps }, [["requests", 1, ({ requests }) => requests]]),
          },
          {
            title: "Spend",
            format: shortDollars,
            lines: chartLines({ points, steps }, [["spend", 3, ({ cost_usd: cost }) => cost]]),
          },
        ]),
  ];
  return (
    <div class="charts three">
      {charts.map((chart) => (
        <TimeChart key={chart.title} {...chart} steps={steps} shape="stacked" />
      ))}
    </div>
  );
}
