import { SextantError } from "../foundation/errors.js";

/** Methods by name: their parameters and result. Both are plain data that structured cloning copies. */
export type RpcApi = Readonly<Record<string, { readonly parameters: unknown; readonly result: unknown }>>;

/** Implements an API. The signal aborts when the caller has aborted its call, or the channel has ended. */
export type RpcHandlers<Api extends RpcApi> = {
  readonly [Name in keyof Api]: (
    parameters: Api[Name]["parameters"],
    signal: AbortSignal,
  ) => Api[Name]["result"] | Promise<Api[Name]["result"]>;
};

/** Carries messages to and from another process or thread, in order. */
export interface MessageTransport {
  /** Never throws: a message that cannot be delivered is lost. Whoever owns the transport then ends the channel. */
  send(message: RpcMessage): void;
  onMessage(listen: (message: RpcMessage) => void): void;
}

export type RpcMessage =
  | { readonly kind: "call"; readonly id: number; readonly name: string; readonly parameters: unknown }
  | { readonly kind: "notification"; readonly name: string; readonly parameters: unknown }
  /** The caller has aborted the call: no reply is expected. */
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: SentError };

interface SentError extends Pick<SextantError, "code" | "param" | "extra" | "headers"> {
  readonly message: string;
}

/** The other end is gone, or its handler failed with an error other than a SextantError. */
export class RpcError extends Error {
  override readonly name = "RpcError";
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Remote procedure calls between two processes or threads, in both directions at the same time. */
export class RpcChannel<Remote extends RpcApi, Local extends RpcApi> {
  readonly #transport: MessageTransport;
  readonly #handlers: RpcHandlers<Local>;
  readonly #pending = new Map<number, Pending>();
  readonly #running = new Map<number, AbortController>();
  #nextId = 0;
  #endedBy: RpcError | undefined;

  constructor(transport: MessageTransport, handlers: RpcHandlers<Local>) {
    this.#transport = transport;
    this.#handlers = handlers;
    transport.onMessage((message) => this.#receive(message));
  }

  /**
   * Calls a method of the other end.
   *
   * @throws SextantError as the remote handler threw it; RpcError for every other failure there, and when the channel has
   * ended; the signal's reason
   */
  async call<Name extends keyof Remote & string>(
    name: Name,
    parameters: Remote[Name]["parameters"],
    signal?: AbortSignal,
  ): Promise<Remote[Name]["result"]> {
    signal?.throwIfAborted();
    if (this.#endedBy !== undefined) throw this.#endedBy;
    const id = this.#nextId++;
    const abort = (): void => {
      this.#take(id)?.reject(signal?.reason);
      this.#transport.send({ kind: "abort", id });
    };
    const result = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
    });
    signal?.addEventListener("abort", abort, { once: true });
    this.#transport.send({ kind: "call", id, name, parameters });
    return await result.finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Calls a method without waiting for its result or its error. */
  notify<Name extends keyof Remote & string>(name: Name, parameters: Remote[Name]["parameters"]): void {
    if (this.#endedBy === undefined) this.#transport.send({ kind: "notification", name, parameters });
  }

  /** Marks the other end as gone: pending calls reject with the reason, and running handlers are aborted. */
  end(reason: string): void {
    if (this.#endedBy !== undefined) return;
    this.#endedBy = new RpcError(reason);
    for (const { reject } of this.#pending.values()) reject(this.#endedBy);
    this.#pending.clear();
    for (const controller of this.#running.values()) controller.abort(this.#endedBy);
  }

  #receive(message: RpcMessage): void {
    switch (message.kind) {
      case "call":
        void this.#reply(message);
        break;
      case "notification":
        this.#run(message, new AbortController().signal).catch(() => {});
        break;
      case "abort":
        this.#running.get(message.id)?.abort(new RpcError("The caller aborted the call."));
        break;
      case "result":
        this.#take(message.id)?.resolve(message.value);
        break;
      case "error":
        this.#take(message.id)?.reject(receivedError(message.error));
    }
  }

  async #reply(message: Extract<RpcMessage, { kind: "call" }>): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const value = await this.#run(message, controller.signal);
      if (!controller.signal.aborted) this.#transport.send({ kind: "result", id, value });
    } catch (error) {
      if (!controller.signal.aborted) this.#transport.send({ kind: "error", id, error: sentError(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #run(
    { name, parameters }: { readonly name: string; readonly parameters: unknown },
    signal: AbortSignal,
  ): Promise<unknown> {
    if (!Object.hasOwn(this.#handlers, name)) throw new RpcError(`no handler for ${name}`);
    return await this.#handlers[name as keyof Local](parameters, signal);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }
}

function sentError(error: unknown): SentError {
  if (error instanceof SextantError) {
    const { code, message, param, extra, headers } = error;
    return { code, message, param, extra, headers };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal_error", message, param: null, extra: {}, headers: {} };
}

function receivedError({ code, message, param, extra, headers }: SentError): Error {
  if (code === "internal_error") return new RpcError(message);
  return new SextantError(code, message, { extra, headers, ...(param !== null && { param }) });
}
