import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { ConversationMemory, ConversationRecord } from "../conversations/conversation-memory.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

/** The conversations of the supervisor process, so that any worker may get the next request of one. */
export class RemoteConversations implements ConversationMemory {
  readonly #channel: RpcChannel<SupervisorApi, WorkerApi>;

  constructor(channel: RpcChannel<SupervisorApi, WorkerApi>) {
    this.#channel = channel;
  }

  /** A supervisor that is gone takes this process with it. */
  find(key: string): Promise<ConversationRecord | undefined> {
    return this.#channel.call("findConversation", key).catch(() => undefined);
  }

  remember(key: string, record: ConversationRecord): void {
    this.#channel.notify("rememberConversation", { key, record });
  }

  async close(): Promise<void> {}
}
