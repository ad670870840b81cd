import { endPause, type Pause } from "../api/pauses.js";
import { Button } from "../components/controls.js";
import { Notice, useAction } from "../components/resource.js";
import { KeyLink, Moment, Plain } from "../components/text.js";

interface ActivePausesProps {
  readonly pauses: readonly Pause[];
  /** One was ended. */
  readonly onChanged: () => void;
}

/** What is paused now, until when, and why; nothing when nothing is. */
export function ActivePauses({ pauses, onChanged }: ActivePausesProps) {
  const { run, running, fault } = useAction(async (_signal, id: string) => {
    await endPause(id);
    onChanged();
  });
  if (pauses.length === 0) return null;
  return (
    <section class="card padded pauses" aria-label="Paused now">
      <ul>
        {pauses.map((pause) => (
          <li key={pause.id}>
            <PauseText of={pause} />
            <Button
              look="slim"
              disabled={running !== undefined}
              aria-label={`End now: the pause of ${pause.target_name ?? pause.target}`}
              onClick={() => run(pause.id)}
            >
              End now
            </Button>
          </li>
        ))}
      </ul>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </section>
  );
}

function PauseText({ of }: { readonly of: Pause }) {
  const { kind, target, target_name: name, redirect_to: redirect, reason, ends_at: ends } = of;
  return (
    <span class="pause-text">
      <span>
        <span class="pill warn">paused</span> {kind}{" "}
        <strong>{kind === "key" ? <KeyLink of={{ id: target, name }} /> : <Plain text={target} />}</strong>
        {redirect !== null && (
          <>
            {" "}
            → <Plain text={redirect} />
          </>
        )}
        , ends {ends === null ? "when an operator ends it" : <Moment at={ends} />}
      </span>
      <small class="muted">
        <Plain text={reason} />, by <Plain text={of.created_by_name ?? of.created_by} />,{" "}
        <Moment at={of.created_at} />
      </small>
    </span>
  );
}
