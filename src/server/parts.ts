import type { Logger } from "pino";
import type { Authenticator } from "../access/authenticator.js";
import type { Router } from "../router/router.js";

/** State of one part as `GET /readyz` shows it: `ok`, and whatever tells two states of the part apart. */
interface PartState {
  readonly ok: boolean;
  readonly [detail: string]: unknown;
}

/** Everything the server needs, built by `compose.ts`. The server itself reads no environment, clock or file. */
export interface ServerParts {
  readonly router: Router;
  readonly authenticator: Authenticator;
  readonly limits: { readonly maxBodyBytes: number; readonly maxMessages: number };
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** That many unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Part name → its state. Cheap: called for every `GET /readyz`. */
  readonly readiness: () => Readonly<Record<string, PartState>>;
  /** Version of the package, for the OpenAPI document. */
  readonly version: string;
}
