import type { Key } from "../api/keys.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";

export function KeyFacts({ of: key }: { readonly of: Key }) {
  const facts: readonly (readonly [string, preact.ComponentChildren])[] = [
    ["Secret", <code key="secret">{key.prefix}…</code>],
    ["Scopes", key.scopes.join(", ")],
    ["Source", key.source === null ? "any" : <Plain key="source" text={key.source} />],
    ["Created", <Moment key="created" at={key.created_at} />],
    ["Last used", <Moment key="used" at={key.last_used_at} />],
    ["Expires", <Moment key="expires" at={key.expires_at} />],
  ];
  return (
    <dl class="card padded facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
      {key.previous !== null && (
        <div>
          <dt>Replaced secret</dt>
          <dd>
            <code>{key.previous.prefix}…</code>{" "}
            {Date.parse(key.previous.expires_at) > Date.now() ? "works until" : "ended"}{" "}
            <Moment at={key.previous.expires_at} />
          </dd>
        </div>
      )}
    </dl>
  );
}
