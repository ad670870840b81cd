import { z } from "zod";

/** What operators do that others must be able to look up. */
export const EVENT_KINDS = [
  "key.created",
  "key.updated",
  "key.rotated",
  "key.revoked",
  "profiles.reloaded",
  "profiles.refused",
  "settings.changed",
  "settings.reloaded",
  "settings.refused",
  "pause.started",
  "pause.ended",
  "alert.silenced",
  "alert.unsilenced",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What an act was done to. */
const TARGET_TYPES = ["key", "model", "provider", "profiles", "settings", "alert"] as const;

/** One administrative act, as it is stored, and as the API shows it. It never holds a secret. */
export const adminEventSchema = z.object({
  id: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
  kind: z.enum(EVENT_KINDS),
  actor: z.object({
    /** Id of a key, subject of a token, `anonymous`, `command_line`, or `server` for what it did by itself. */
    id: z.string(),
    /** What the key was called then; null without one. */
    name: z.string().nullable(),
    /** Address of the client, of IPv6 its /64 network; null on the command line and for the server. */
    address: z.string().nullable(),
  }),
  target: z.object({
    type: z.enum(TARGET_TYPES),
    /** Id of a key or provider, name of a model, version of profiles, path of the settings file, rule and subject of an alert. */
    id: z.string(),
    /** What a key was called then; null for others. */
    name: z.string().nullable(),
  }),
  /** What was asked for and what came of it, by the kind. */
  details: z.record(z.string(), z.unknown()),
});
export type AdminEvent = Readonly<z.infer<typeof adminEventSchema>>;
export type NewEvent = Omit<AdminEvent, "id" | "at">;

/** Who acts where there is no request. */
export const COMMAND_LINE: AdminEvent["actor"] = { id: "command_line", name: null, address: null };
export const SERVER: AdminEvent["actor"] = { id: "server", name: null, address: null };

/** The event that a stored text holds; undefined for one that another version wrote in another shape, or that is damaged. */
export function eventOf(text: string): AdminEvent | undefined {
  try {
    return adminEventSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
