import type { Key } from "../api/keys.js";
import { Bar } from "../components/bar.js";
import { Button } from "../components/controls.js";
import { count, dollars, shortCount } from "../components/format.js";
import { Moment, Plain } from "../components/text.js";
import type { KeyAction } from "./key-dialogs.js";
import { oldSecretEnds, usesOf } from "./key-facts.js";

/** Whether a key works at the moment, and the secret that it had before. */
export function KeyState({ of }: { readonly of: Key }) {
  if (of.revoked_at !== null) {
    return (
      <span class="pill bad" title={new Date(of.revoked_at).toLocaleString()}>
        revoked
      </span>
    );
  }
  if (of.expires_at !== null && Date.parse(of.expires_at) <= Date.now())
    return <span class="pill warn">expired</span>;
  const until = oldSecretEnds(of, Date.now());
  return (
    <>
      <span class="pill good">active</span>
      {until !== null && (
        <span
          class="pill warn beside"
          title={`The secret before it works until ${new Date(until).toLocaleString()}`}
        >
          old secret works
        </span>
      )}
    </>
  );
}

/** How much of each limit of a key is used. */
export function KeyUse({ of }: { readonly of: Pick<Key, "use"> }) {
  const uses = usesOf(of);
  if (uses.length === 0) return <span class="muted">no limits</span>;
  return (
    <ul class="key-use">
      {uses.map(({ name, unit, used, limit, ratio }) => (
        <li key={name}>
          <Bar share={Math.min(1, ratio)} look={lookOf(ratio)} />
          <span class="number">
            {unit === "usd"
              ? `${dollars(used)} / ${dollars(limit)} ${name}`
              : `${shortCount(used)} / ${shortCount(limit)} ${name}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

const NEAR = 0.8;

const lookOf = (ratio: number): "plain" | "near" | "full" =>
  ratio >= 1 ? "full" : ratio >= NEAR ? "near" : "plain";

interface KeyActionsProps {
  readonly of: Key;
  readonly onAct: (action: KeyAction, key: Key) => void;
}

const ACTIONS: readonly (readonly [action: KeyAction, label: string, look: string])[] = [
  ["edit", "Edit", ""],
  ["rotate", "Rotate", ""],
  ["revoke", "Revoke", "danger"],
];

/** What can be done to a key; nothing to a revoked one. */
export function KeyActions({ of, onAct }: KeyActionsProps) {
  if (of.revoked_at !== null) return null;
  return (
    <span class="key-actions">
      {ACTIONS.map(([action, label, look]) => (
        <Button
          key={action}
          look={`slim ${look}`}
          aria-label={`${label} ${of.name}`}
          onClick={() => onAct(action, of)}
        >
          {label}
        </Button>
      ))}
    </span>
  );
}

interface RefusedUseProps {
  readonly of: NonNullable<NonNullable<Key["previous"]>["refused"]>;
}

/** Who still uses a replaced secret. */
export const RefusedUse = ({ of }: RefusedUseProps) => (
  <span>
    {count(of.requests)} {of.requests === 1 ? "request" : "requests"} with the old secret since{" "}
    <Moment at={of.first_at} shows="time" />, the last <Moment at={of.last_at} /> from{" "}
    <Plain text={of.last_address} />
    {of.last_source !== null && (
      <>
        , source <Plain text={of.last_source} />
      </>
    )}
  </span>
);
