import type { AdminEvent } from "../api/events.js";
import { Section } from "../components/page.js";
import { Moment, Plain } from "../components/text.js";
import { actorText, actText, plainValue } from "./event-text.js";

/** Nothing while there is none. */
export function KeyEvents({ events }: { readonly events: readonly AdminEvent[] }) {
  if (events.length === 0) return null;
  return (
    <Section title="Audit log">
      <ul class="stack tight-stack">
        {events.map((event) => (
          <li key={event.id}>
            <strong>{actText(event)}</strong> by <Plain text={actorText(event)} />
            {event.actor.address !== null && <> from {event.actor.address}</>}, <Moment at={event.at} />{" "}
            <Details of={event} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What was asked for, under the names of the API. */
function Details({ of: { details } }: { readonly of: AdminEvent }) {
  const given = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 0) return null;
  const text = given.map(([name, value]) => `${name}: ${plainValue(value)}`).join("; ");
  return (
    <span class="muted small">
      <Plain text={text} />
    </span>
  );
}
