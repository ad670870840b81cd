import type { ListedKeyBody as Key } from "../../gateway/api/keys.js";

/** What each scope lets a key do. */
export const SCOPES: Readonly<Record<Key["scopes"][number], string>> = {
  inference: "Run models and route prompts.",
  "traces:read": "Read traces of its own source.",
  "traces:read:all": "Read traces of every source.",
  admin: "Everything, this console and other keys included.",
};
