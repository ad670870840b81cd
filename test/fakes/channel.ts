import type { Channel, LinkMessage } from "../../src/cluster/link.js";

/** Two ends of one channel: messages are copied, as between processes, and arrive in order, in a later turn. */
export function channelPair(): readonly [Channel, Channel] {
  const left = new End();
  const right = new End();
  left.other = right;
  right.other = left;
  return [left, right];
}

class End implements Channel {
  other: End | undefined;
  readonly #listeners: ((message: LinkMessage) => void)[] = [];

  send(message: LinkMessage): void {
    const copy = structuredClone(message);
    queueMicrotask(() => this.other?.arrive(copy));
  }

  onMessage(listen: (message: LinkMessage) => void): void {
    this.#listeners.push(listen);
  }

  arrive(message: LinkMessage): void {
    for (const listen of this.#listeners) listen(message);
  }
}
