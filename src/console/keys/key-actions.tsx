import type { Key } from "../api/keys.js";
import type { KeyAction } from "./key-dialogs.js";

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
        <button
          key={action}
          class={`button slim ${look}`}
          type="button"
          aria-label={`${label} ${of.name}`}
          onClick={() => onAct(action, of)}
        >
          {label}
        </button>
      ))}
    </span>
  );
}
