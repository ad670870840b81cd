import type { Key } from "../api/keys.js";
import { Bar } from "../components/bar.js";
import { counted, dollars, shortCount } from "../components/format.js";
import { Menu } from "../components/menu.js";
import { Moment, Plain } from "../components/text.js";
import { keyChoice } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import type { KeyAction } from "./key-dialogs.js";
import { oldSecretEnds, type Use, usesOf } from "./key-facts.js";

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

interface KeyUseProps {
  readonly of: Pick<Key, "use">;
  readonly shows: "all" | "highest";
}

/** How much of the limits of a key is used. */
export function KeyUse({ of, shows }: KeyUseProps) {
  const uses = usesOf(of).toSorted((left, right) => right.ratio - left.ratio);
  if (uses.length === 0) return <span class="muted">no limits</span>;
  return (
    <ul>
      {(shows === "all" ? uses : uses.slice(0, 1)).map((use) => (
        <li key={use.name} class="bar-cell">
          <Bar share={Math.min(1, use.ratio)} look={lookOf(use.ratio)} />
          <span class="number">{limitText(use)}</span>
        </li>
      ))}
    </ul>
  );
}

const limitText = ({ name, unit, used, limit }: Use): string =>
  unit === "usd"
    ? `${dollars(used)} / ${dollars(limit)} ${name}`
    : `${shortCount(used)} / ${shortCount(limit)} ${name}`;

export const limitTexts = (key: Pick<Key, "use">): readonly string[] => usesOf(key).map(limitText);

const NEAR = 0.8;

const lookOf = (ratio: number): "plain" | "near" | "full" =>
  ratio >= 1 ? "full" : ratio >= NEAR ? "near" : "plain";

interface KeyActionsProps {
  readonly of: Key;
  readonly onAct: (action: KeyAction, key: Key) => void;
}

/** What can be done to a key; nothing to a revoked one. */
export const KeyActions = ({ of, onAct }: KeyActionsProps) => (
  <Menu
    label={`Actions for ${of.name}`}
    items={
      of.revoked_at !== null
        ? []
        : [
            { label: "Edit…", onSelect: () => onAct("edit", of) },
            { label: "Rotate…", onSelect: () => onAct("rotate", of) },
            { label: "Pause…", onSelect: () => openPause({ choices: [keyChoice(of)] }) },
            { label: "Revoke…", look: "danger", onSelect: () => onAct("revoke", of) },
          ]
    }
  />
);

interface RefusedUseProps {
  readonly of: NonNullable<NonNullable<Key["previous"]>["refused"]>;
}

/** Who still uses a replaced secret. */
export const RefusedUse = ({ of }: RefusedUseProps) => (
  <span>
    {counted(of.requests, "request")} with the old secret since <Moment at={of.first_at} shows="time" />, the
    last <Moment at={of.last_at} /> from <Plain text={of.last_address} />
    {of.last_source !== null && (
      <>
        , source <Plain text={of.last_source} />
      </>
    )}
  </span>
);
