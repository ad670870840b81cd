import { useState } from "preact/hooks";
import { type Key, updateKey } from "../api/keys.js";
import { rangeNamed } from "../charts/ranges.js";
import { Button, Icon } from "../components/controls.js";
import { dollars } from "../components/format.js";
import { Link } from "../components/link.js";
import { PageHead, Section } from "../components/page.js";
import { Loaded, Notice, useAction, useResource } from "../components/resource.js";
import { Facts, Moment, Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { WeightMeaning } from "../cost-weights/weight-meanings.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { usePauses } from "../pauses/pause-dialog.js";
import { KeyDialogs, type OpenDialog } from "./key-dialogs.js";
import { KeyEvents } from "./key-events.js";
import { KeyActions, KeyState, KeyUse, RefusedUse } from "./key-parts.js";
import { KeyUsage } from "./key-usage.js";
import { KEY_RANGE, type KeyDetail, loadKey } from "./load-keys.js";

/** One key: its limits, what it used, what was refused, what failed. */
export function KeyPage({ id }: { readonly id: string }) {
  const [query] = useQuery();
  const range = rangeNamed(query.get("range") ?? KEY_RANGE);
  const detail = useResource(`${id} ${range.name}`, (signal) => loadKey(id, range, signal));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const pauses = usePauses();
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
          <>
            <Button onClick={() => setOpen({ dialog: "edit", key })}>Edit</Button>
            <KeyActions of={key} onAct={(dialog, target) => setOpen({ dialog, key: target })} />
          </>
        )}
        <Link href="/keys" class="button">
          <Icon name="back" /> All keys
        </Link>
      </PageHead>
      <ActivePauses
        pauses={(pauses.value ?? []).filter((pause) => pause.kind === "key" && pause.target === id)}
      />
      <Loaded resource={detail}>{(value) => <Content detail={value} onChanged={detail.reload} />}</Loaded>
      <KeyDialogs open={open} onOpen={setOpen} onChanged={detail.reload} />
    </>
  );
}

interface ContentProps {
  readonly detail: KeyDetail;
  readonly onChanged: () => void;
}

function Content({ detail, onChanged }: ContentProps) {
  const { key, events } = detail;
  if (key === undefined) return <Notice kind="error">There is no such key.</Notice>;
  return (
    <>
      <KeyFacts of={key} onChanged={onChanged} />
      <Section title="Use of limits">
        <KeyUse of={key} shows="all" />
      </Section>
      <KeyUsage detail={detail} id={key.id} />
      <KeyEvents events={events} />
    </>
  );
}

interface KeyFactsProps {
  readonly of: Key;
  readonly onChanged: () => void;
}

function KeyFacts({ of: key, onChanged }: KeyFactsProps) {
  const { team, source, cost_weight: weight, limits, previous } = key;
  const models = limits.allowed_models;
  return (
    <Facts
      facts={[
        ["Secret", <code key="secret">{key.prefix}…</code>],
        ["Scopes", key.scopes.join(", ")],
        ["Source", source === null ? "any" : <Plain key="source" text={source} />],
        ["Team", team !== null && <Plain key="team" text={team} />],
        [
          "Cost weight of auto",
          weight !== null && (
            <span key="weight">
              {weight} <WeightMeaning weight={weight} />
            </span>
          ),
        ],
        ["Maximum per request", limits.max_usd_per_request !== null && dollars(limits.max_usd_per_request)],
        ["Allowed models", models !== null && <Plain key="models" text={models.join(", ")} />],
        ["Minimum cost weight", limits.min_cost_weight],
        ["Created", <Moment key="created" at={key.created_at} />],
        ["Last used", <Moment key="used" at={key.last_used_at} />],
        ["Expires", <Moment key="expires" at={key.expires_at} />],
        [
          "Replaced secret",
          previous !== null && (
            <ReplacedSecret key="previous" id={key.id} of={previous} onChanged={onChanged} />
          ),
        ],
      ]}
    />
  );
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
        <code>{of.prefix}…</code> {works ? "works until" : "ended"} <Moment at={of.expires_at} />
      </span>
      {of.refused !== null && (
        <span class="bad-figure">
          <RefusedUse of={of.refused} />
        </span>
      )}
      {works && (
        <Button look="slim" disabled={running !== undefined} onClick={() => run()}>
          End now
        </Button>
      )}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </span>
  );
}
