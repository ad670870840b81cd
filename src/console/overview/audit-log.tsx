import type { AdminEvent } from "../api/events.js";
import { count } from "../components/format.js";
import { Link } from "../components/link.js";
import { Moment, Plain } from "../components/text.js";
import { actorText, actText } from "../keys/event-text.js";

const PATHS: Readonly<Record<AdminEvent["target"]["type"], string>> = {
  key: "/keys/",
  profiles: "/profiles",
  settings: "/alerts?tab=rules",
  provider: "/providers",
  model: "/failures",
  alert: "/alerts",
};

/** What operators did in the last day. */
export function AuditLog({ of }: { readonly of: readonly AdminEvent[] }) {
  if (of.length === 0) return null;
  return (
    <details class="small">
      <summary class="muted">
        Audit log: {of.length === 1 ? "1 change" : `${count(of.length)} changes`} in the last day
      </summary>
      <ul>
        {of.map((event) => (
          <li key={event.id}>
            <Moment at={event.at} />{" "}
            <Link href={event.target.type === "key" ? `/keys/${event.target.id}` : PATHS[event.target.type]}>
              <Plain text={event.target.name ?? `${event.target.type} ${event.target.id}`} />
            </Link>{" "}
            {actText(event)} by <Plain text={actorText(event)} />
          </li>
        ))}
      </ul>
    </details>
  );
}
