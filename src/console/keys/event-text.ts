import type { EventBody as AdminEvent } from "../../gateway/api/events.js";

const WORDS: Readonly<Record<AdminEvent["kind"], string>> = {
  "key.created": "created",
  "key.updated": "changed",
  "key.rotated": "rotated",
  "key.revoked": "revoked",
  "profiles.reloaded": "profiles reloaded",
  "profiles.refused": "profiles refused",
  "settings.reloaded": "settings reloaded",
  "settings.refused": "settings refused",
  "pause.started": "paused",
  "pause.ended": "pause ended",
};

/** What an act was, in a word or two. */
export const actText = ({ kind }: Pick<AdminEvent, "kind">): string => WORDS[kind];

/** Who did it, by the name that the key had then. */
export const actorText = ({ actor: { id, name } }: Pick<AdminEvent, "actor">): string =>
  name ?? (id === "command_line" ? "the command line" : id === "server" ? "the gateway itself" : id);
