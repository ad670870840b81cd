import type { AdminEvent } from "../api/events.js";
import { Section } from "../components/page.js";
import { Moment, Plain } from "../components/text.js";
import { actorText, actText } from "./event-text.js";

/** Nothing while there is none. */
export function KeyEvents({ events }: { readonly events: readonly AdminEvent[] }) {
  if (events.length === 0) return null;
  return (
    <Section title="What operators did to it">
      <ul class="events">
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

/** What was asked for, as it was asked. */
function Details({ of: { details } }: { readonly of: AdminEvent }) {
  const given = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 0) return null;
  const text = given.map(([name, value]) => `${name}: ${valueText(value)}`).join("; ");
  return (
    <span class="muted small">
      <Plain text={text} />
    </span>
  );
}

/** Without the marks of JSON; null is a limit that was taken away. */
function valueText(value: unknown): string {
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  return Object.entries(value)
    .map(([name, part]) => `${name} ${valueText(part)}`)
    .join(", ");
}
