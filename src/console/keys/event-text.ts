import type { EventBody as AdminEvent } from "../../gateway/features/events/schema.js";

const WORDS: Readonly<Record<AdminEvent["kind"], string>> = {
  "key.created": "created",
  "key.updated": "changed",
  "key.rotated": "rotated",
  "key.revoked": "revoked",
  "profiles.reloaded": "profiles reloaded",
  "profiles.refused": "profiles refused",
  "settings.changed": "settings changed",
  "settings.reloaded": "settings reloaded",
  "settings.refused": "settings refused",
  "pause.started": "paused",
  "pause.ended": "pause ended",
  "alert.silenced": "silenced",
  "alert.unsilenced": "silence ended",
};

/** What an act was, in a word or two. */
export const actText = ({ kind }: Pick<AdminEvent, "kind">): string => WORDS[kind];

/** Who did it, by the name that the key had then. */
export const actorText = ({ actor: { id, name } }: Pick<AdminEvent, "actor">): string =>
  name ?? (id === "command_line" ? "the command line" : id === "server" ? "the gateway" : id);

/** A detail without the marks of JSON: its parts with commas between them, and "none" for what is empty or was taken away. */
export function plainValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "none");
  const parts = Array.isArray(value)
    ? value.map(plainValue)
    : Object.entries(value).map(([name, part]) => `${name} ${plainValue(part)}`);
  return parts.join(", ") || "none";
}
