import { z } from "zod";
import { closedObject } from "../../../foundation/closed-object.js";

/** Body of `POST /console/session`. */
export const signInSchema = closedObject(
  {
    key: z.string({ error: "it must be an API key" }).min(1).max(512, { error: "it is too long for a key" }),
  },
  "it must be an object with `key`",
);

/** Answer of `GET` and `POST /console/session`; without a schema, because only the page of the same build reads it. */
export interface SessionBody {
  readonly authentication: "on" | "off";
  readonly signed_in: boolean;
  /** Sent back with every request of the session. */
  readonly proof?: string;
  readonly key?: { readonly id: string; readonly name: string };
  /** End of the session unless it is used before: ISO 8601, UTC. */
  readonly ends_at?: string;
  /** Why the last session ended. */
  readonly reason?: string;
}
