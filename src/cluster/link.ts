import { SextantError } from "../foundation/errors.js";

/** Questions by name: what is sent, and what comes back. Everything is plain data that structured cloning copies. */
export type Api = Readonly<Record<string, { readonly body: unknown; readonly answer: unknown }>>;

/** What one end answers. The signal aborts when the other end has lost interest, or is gone. */
export type Answers<Asked extends Api> = {
  readonly [Name in keyof Asked]: (
    body: Asked[Name]["body"],
    signal: AbortSignal,
  ) => Asked[Name]["answer"] | Promise<Asked[Name]["answer"]>;
};

/** Messages to the process at the other end and from it, in order. */
export interface Channel {
  /** Never throws: what cannot be delivered is lost, and the other end's end is told elsewhere. */
  send(message: LinkMessage): void;
  onMessage(listen: (message: LinkMessage) => void): void;
}

export type LinkMessage =
  | { readonly kind: "ask"; readonly id: number; readonly name: string; readonly body: unknown }
  | { readonly kind: "tell"; readonly name: string; readonly body: unknown }
  /** Nobody waits for this answer any more. */
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "fault"; readonly id: number; readonly fault: SentFault };

interface SentFault extends Pick<SextantError, "code" | "param" | "extra" | "headers"> {
  readonly message: string;
}

/** The process at the other end is gone, or has gone wrong. */
export class LinkError extends Error {
  override readonly name = "LinkError";
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions and answers between two processes, in both directions at the same time. */
export class Link<Asked extends Api, Answered extends Api> {
  readonly #channel: Channel;
  readonly #answers: Answers<Answered>;
  readonly #pending = new Map<number, Pending>();
  readonly #answering = new Map<number, AbortController>();
  #next = 0;
  #endedBy: LinkError | undefined;

  constructor(channel: Channel, answers: Answers<Answered>) {
    this.#channel = channel;
    this.#answers = answers;
    channel.onMessage((message) => this.#receive(message));
  }

  /**
   * @throws SextantError as the other end threw it; LinkError for everything else that went wrong there, and when it is
   * gone; the signal's reason
   */
  async ask<Name extends keyof Asked & string>(
    name: Name,
    body: Asked[Name]["body"],
    signal?: AbortSignal,
  ): Promise<Asked[Name]["answer"]> {
    signal?.throwIfAborted();
    if (this.#endedBy !== undefined) throw this.#endedBy;
    const id = this.#next++;
    const abort = (): void => {
      this.#take(id)?.reject(signal?.reason);
      this.#channel.send({ kind: "abort", id });
    };
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    signal?.addEventListener("abort", abort, { once: true });
    this.#channel.send({ kind: "ask", id, name, body });
    return await answer.finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Asks without waiting for the answer, or learning of a fault. */
  tell<Name extends keyof Asked & string>(name: Name, body: Asked[Name]["body"]): void {
    if (this.#endedBy === undefined) this.#channel.send({ kind: "tell", name, body });
  }

  /** The other end is gone: whatever waits for it is rejected, and what is done for it is aborted. */
  end(reason: string): void {
    if (this.#endedBy !== undefined) return;
    this.#endedBy = new LinkError(reason);
    for (const { reject } of this.#pending.values()) reject(this.#endedBy);
    this.#pending.clear();
    for (const controller of this.#answering.values()) controller.abort(this.#endedBy);
  }

  #receive(message: LinkMessage): void {
    switch (message.kind) {
      case "ask":
        void this.#answer(message);
        break;
      case "tell":
        this.#run(message, new AbortController().signal).catch(() => {});
        break;
      case "abort":
        this.#answering.get(message.id)?.abort(new LinkError("The answer is not wanted any more."));
        break;
      case "answer":
        this.#take(message.id)?.resolve(message.value);
        break;
      case "fault":
        this.#take(message.id)?.reject(received(message.fault));
    }
  }

  async #answer(message: Extract<LinkMessage, { kind: "ask" }>): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    this.#answering.set(id, controller);
    try {
      const value = await this.#run(message, controller.signal);
      if (!controller.signal.aborted) this.#channel.send({ kind: "answer", id, value });
    } catch (error) {
      if (!controller.signal.aborted) this.#channel.send({ kind: "fault", id, fault: sent(error) });
    } finally {
      this.#answering.delete(id);
    }
  }

  async #run({ name, body }: { name: string; body: unknown }, signal: AbortSignal): Promise<unknown> {
    if (!Object.hasOwn(this.#answers, name)) throw new LinkError(`nobody answers ${name} here`);
    return await this.#answers[name as keyof Answered](body, signal);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

function sent(error: unknown): SentFault {
  if (error instanceof SextantError) {
    const { code, message, param, extra, headers } = error;
    return { code, message, param, extra, headers };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal_error", message, param: null, extra: {}, headers: {} };
}

function received({ code, message, param, extra, headers }: SentFault): Error {
  if (code === "internal_error") return new LinkError(message);
  return new SextantError(code, message, { extra, headers, ...(param !== null && { param }) });
}
