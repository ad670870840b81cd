import type { Key } from "../api/keys.js";
import { Facts, type FactsProps } from "../components/facts.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";
import { WeightMeaning } from "../cost-weights/weight-meaning.js";

export function KeyFacts({ of: key }: { readonly of: Key }) {
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
            {Date.parse(key.previous.expires_at) > Date.now() ? "works until" : "ended"}{" "}
            <Moment at={key.previous.expires_at} />
          </dd>
        </div>
      )}
    </Facts>
  );
}
