import { endPause, type Pause } from "../api/pauses.js";
import { Button } from "../components/controls.js";
import { Notice, useAction } from "../components/resource.js";
import { KeyLink, Moment, Plain } from "../components/text.js";
import { pausesChanged } from "./pause-dialog.js";

/** What is paused now, until when, and why; nothing when nothing is. */
export function ActivePauses({ pauses }: { readonly pauses: readonly Pause[] }) {
  const { run, running, fault } = useAction(async (_signal, id: string) => {
    await endPause(id);
    pausesChanged();
  });
  if (pauses.length === 0) return null;
  return (
    <section class="incidents" aria-label="Paused now">
      {pauses.map(({ id, kind, target, target_name: name, ...pause }) => (
        <div key={id} class="card incident">
          <div class="row">
            <span class="pill warn">paused</span>
            <span>
              {kind} {kind === "key" ? <KeyLink of={{ id: target, name }} /> : <Plain text={target} />}
              {pause.redirect_to !== null && <Plain text={` → ${pause.redirect_to}`} />}
            </span>
            <Button
              look="slim"
              disabled={running !== undefined}
              aria-label={`End now: the pause of ${name ?? target}`}
              onClick={() => run(id)}
            >
              End now
            </Button>
          </div>
          <div class="muted small">
            <Plain text={pause.reason} />, by <Plain text={pause.created_by_name ?? pause.created_by} />,{" "}
            <Moment at={pause.created_at} />, ends{" "}
            <Moment at={pause.ends_at} none="when an operator ends it" />
          </div>
        </div>
      ))}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </section>
  );
}
