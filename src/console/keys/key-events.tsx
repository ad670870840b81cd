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
  const text = given.map(([name, value]) => `${name}: ${spelled(value)}`).join("; ");
  return (
    <span class="muted small">
      <Plain text={text} />
    </span>
  );
}

/** Lists and objects without brackets and quotes. */
function spelled(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelled).join(", ");
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name} ${spelled(part)}`)
    .join(", ");
}
