import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Key } from "../api/keys.js";
import { Facts, type FactsProps } from "../components/facts.js";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { Moment } from "../components/moment.js";
import { Notice } from "../components/notice.js";
import { Plain } from "../components/plain.js";
import { useResource } from "../components/use-resource.js";
import { WeightMeaning } from "../cost-weights/weight-meaning.js";
import { FailureTable } from "../failures/failure-table.js";
import { PageHead } from "../layout/page-head.js";
import { KeyActions } from "./key-actions.js";
import { KeyCharts } from "./key-charts.js";
import { type KeyDetail, loadKey } from "./key-detail.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { KeyState } from "./key-state.js";
import { KeyUse } from "./key-use.js";

/** One key: its limits, what it used, what was refused, what failed. */
export function KeyPage({ params: { id } }: { readonly params: { readonly id: string } }) {
  const detail = useResource(id, (signal) => loadKey(id, signal));
  const [open, setOpen] = useState<OpenDialog | null>(null);
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
        {key !== undefined && (
          <KeyActions of={key} onAct={(dialog, target) => setOpen({ dialog, key: target })} />
        )}
        <Link href="/keys" class="button">
          <Icon name="back" /> All keys
        </Link>
      </PageHead>
      <Loaded resource={detail}>{(value) => <Content detail={value} />}</Loaded>
      <KeyDialogs open={open} onOpen={setOpen} onChanged={detail.reload} />
    </>
  );
}

function Content({ detail }: { readonly detail: KeyDetail }) {
  const { key, failures } = detail;
  if (key === undefined) return <Notice kind="error">There is no such key.</Notice>;
  return (
    <>
      <KeyFacts of={key} />
      <section class="card padded stack">
        <h2>Use of limits</h2>
        <KeyUse of={key} />
      </section>
      <KeyCharts detail={detail} />
      {failures !== undefined && (
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
          <FailureTable failures={failures} filters={{ key: key.id }} />
        </>
      )}
    </>
  );
}

function KeyFacts({ of: key }: { readonly of: Key }) {
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
  ];
  return (
    <Facts facts={facts}>
      {key.previous !== null && (
        <div>
          <dt>Replaced secret</dt>
          <dd>
            <code>{key.previous.prefix}…</code>{" "}
            {Date.parse(key.previous.expires_at) > Date.now() ? "works, and ends" : "ended"}{" "}
            <Moment at={key.previous.expires_at} />
          </dd>
        </div>
      )}
    </Facts>
  );
}
