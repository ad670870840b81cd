import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { Icon } from "../components/icon.js";
import { Loaded } from "../components/loaded.js";
import { Notice } from "../components/notice.js";
import { useResource } from "../components/use-resource.js";
import { FailureTable } from "../failures/failure-table.js";
import { PageHead } from "../layout/page-head.js";
import { KeyActions } from "./key-actions.js";
import { KeyCharts } from "./key-charts.js";
import { type KeyDetail, loadKey } from "./key-detail.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { KeyFacts } from "./key-facts.js";
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
