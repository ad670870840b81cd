import { join } from "node:path";
import { z } from "zod";
import type { Log } from "../../../foundation/log.js";
import { SharedFile } from "../../../foundation/shared-file.js";
import type { RandomBytes } from "../keys/api-key.js";

const SECRET_BYTES = 32;

const fileSchema = z.object({
  version: z.literal(1),
  /** Base64. */
  secret: z.base64().refine((text) => Buffer.from(text, "base64").length === SECRET_BYTES),
  /** Sessions that were signed out: id → their regular end, in milliseconds since the epoch. */
  ended: z.record(z.string(), z.number()),
});

type Content = z.infer<typeof fileSchema>;

/** The session state that all processes of a data folder share. */
export interface SessionState {
  /** Signs console sessions only. */
  readonly secret: Buffer;
  readonly ended: ReadonlySet<string>;
}

interface SessionFileOptions {
  readonly randomBytes: RandomBytes;
  readonly log: Pick<Log, "warn">;
}

/**
 * `console.json` in the data folder: the secret that signs sessions, and the sessions that were signed out before their
 * end. Shared by any number of processes on one machine.
 *
 * The file is read for every use, so that a session ended in one process has ended in all. A damaged file is recreated,
 * which is logged, signs everybody out and has no other effect.
 */
export class SessionFile {
  readonly #file: SharedFile;
  readonly #options: SessionFileOptions;
  #stamp = "unread";
  #state: SessionState | undefined;

  constructor(dataDir: string, options: SessionFileOptions) {
    this.#file = new SharedFile(join(dataDir, "console.json"));
    this.#options = options;
  }

  /** Undefined before the first sign-in. */
  async read(): Promise<SessionState | undefined> {
    if ((await this.#file.stamp()) === this.#stamp) return this.#state;
    const { text, stamp } = await this.#file.read();
    return this.#load(this.#contentOf(text), stamp);
  }

  /** As `read`, with a new secret if there was none. @throws AccessFileError when the file cannot be written */
  async open(): Promise<SessionState> {
    return (await this.read()) ?? (await this.#change((content) => content));
  }

  /** Records that a session has ended; the record is removed after `untilMs`, its regular end. */
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
      changed = change(this.#contentOf(text) ?? this.#newContent());
      return `${JSON.stringify(changed)}\n`;
    });
    const state = this.#load(changed, stamp);
    if (state === undefined) throw new Error("unreachable: update calls its argument");
    return state;
  }

  #newContent(): Content {
    return {
      version: 1,
      secret: Buffer.from(this.#options.randomBytes(SECRET_BYTES)).toString("base64"),
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

  #contentOf(text: string | undefined): Content | undefined {
    if (text === undefined) return undefined;
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch {
      const what = "the file of console sessions is damaged, or of another version: everyone is signed out";
      this.#options.log.warn({ file: this.#file.path }, what);
      return undefined;
    }
  }
}
