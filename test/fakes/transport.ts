import type { MessageTransport, RpcMessage } from "../../src/foundation/workers/rpc-channel.js";

/** Two ends of one channel: messages are copied, as between processes, and arrive in order, in a later turn. */
export function transportPair(): readonly [MessageTransport, MessageTransport] {
  const left = new End();
  const right = new End();
  left.other = right;
  right.other = left;
  return [left, right];
}

class End implements MessageTransport {
  other: End | undefined;
  readonly #listeners: ((message: RpcMessage) => void)[] = [];

  send(message: RpcMessage): void {
    const copy = structuredClone(message);
    queueMicrotask(() => this.other?.arrive(copy));
  }

  onMessage(listen: (message: RpcMessage) => void): void {
    this.#listeners.push(listen);
  }

  arrive(message: RpcMessage): void {
    for (const listen of this.#listeners) listen(message);
  }
}
