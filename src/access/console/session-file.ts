import { join } from "node:path";
import { z } from "zod";
import { SharedFile } from "../../foundation/shared-file.js";
import type { RandomBytes } from "../keys/api-key.js";

const SECRET_BYTES = 32;

const fileSchema = z.object({
  version: z.literal(1),
  /** Base64. */
  secret: z.base64().refine((text) => Buffer.from(text, "base64").length === SECRET_BYTES),
  /** Sessions that were signed out: id → when they would have ended, in milliseconds since the epoch. */
  ended: z.record(z.string(), z.number()),
});

type Content = z.infer<typeof fileSchema>;

/** What all processes of a data folder know of its sessions. */
export interface SessionState {
  /** Signs the sessions of the console, and nothing else. */
  readonly secret: Buffer;
  readonly ended: ReadonlySet<string>;
}

/**
 * `console.json` in the data folder: the secret that signs sessions, and the sessions that were signed out before their time.
 * Shared by any number of processes of this machine.
 *
 * The file is looked at for every use, so that a session ended in one process has ended in all of them at once. A damaged
 * file is made anew, which signs everybody out and loses nothing else.
 */
export class SessionFile {
  readonly #file: SharedFile;
  readonly #randomBytes: RandomBytes;
  #stamp = "unread";
  #state: SessionState | undefined;

  constructor(dataDir: string, randomBytes: RandomBytes) {
    this.#file = new SharedFile(join(dataDir, "console.json"));
    this.#randomBytes = randomBytes;
  }

  /** Undefined before the first sign-in. */
  async read(): Promise<SessionState | undefined> {
    if ((await this.#file.stamp()) === this.#stamp) return this.#state;
    const { text, stamp } = await this.#file.read();
    return this.#load(contentOf(text), stamp);
  }

  /** As `read`, with a secret made if there was none. @throws AccessFileError when the file cannot be written */
  async open(): Promise<SessionState> {
    return (await this.read()) ?? (await this.#change((content) => content));
  }

  /** Notes that a session has ended; it is forgotten after `untilMs`, when it would have ended anyway. */
  async end(
    id: string,
    { untilMs, nowMs }: { readonly untilMs: number; readonly nowMs: number },
  ): Promise<void> {
    await this.#change((content) => {
      const current = Object.entries(content.ended).filter(([, endMs]) => endMs > nowMs);
      return { ...content, ended: Object.fromEntries([...current, [id, untilMs]]) };
    });
  }

  async #change(change: (content: Content) => Content): Promise<SessionState> {
    let changed: Content | undefined;
    const stamp = await this.#file.update((text) => {
      changed = change(contentOf(text) ?? this.#newContent());
      return `${JSON.stringify(changed)}\n`;
    });
    const state = this.#load(changed, stamp);
    if (state === undefined) throw new Error("unreachable: update calls its argument");
    return state;
  }

  #newContent(): Content {
    return {
      version: 1,
      secret: Buffer.from(this.#randomBytes(SECRET_BYTES)).toString("base64"),
      ended: {},
    };
  }

  #load(content: Content | undefined, stamp: string): SessionState | undefined {
    this.#stamp = stamp;
    this.#state =
      content === undefined
        ? undefined
        : { secret: Buffer.from(content.secret, "base64"), ended: new Set(Object.keys(content.ended)) };
    return this.#state;
  }
}

function contentOf(text: string | undefined): Content | undefined {
  if (text === undefined) return undefined;
  try {
    return fileSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
