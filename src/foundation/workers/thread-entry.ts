import { parentPort, workerData } from "node:worker_threads";
import { type NoMethods, type RpcApi, RpcChannel, type RpcHandlers } from "./rpc-channel.js";
import { RpcError, sentError } from "./rpc-error.js";
import type { FromThread, ToThread } from "./thread-messages.js";

/** What a thread does. */
export interface ThreadService<Api extends RpcApi> {
  readonly methods: RpcHandlers<Api>;
  /** Finishes what must not be lost. The signals of all calls have been aborted. */
  close?(): Promise<void>;
}

/**
 * Serves the calls of a `WorkerThread`: what the entry of a worker thread does.
 *
 * @param open gets what the thread was started with. Calls wait for it; when it fails, they reject with its error and the
 * thread ends
 */
export async function serveThread<Api extends RpcApi, Options = undefined>(
  open: (options: Options) => ThreadService<Api> | Promise<ThreadService<Api>>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error("this file is the entry of a worker thread");
  const send = (message: FromThread, buffers?: readonly ArrayBuffer[]): void =>
    port.postMessage(message, buffers);
  let service: ThreadService<Api>;
  try {
    service = await open(workerData as Options);
  } catch (error) {
    send({ kind: "unusable", error: sentError(error) });
    port.close();
    return;
  }
  const channel: RpcChannel<NoMethods, Api> = new RpcChannel(
    {
      send,
      onMessage: (listen) => {
        port.on("message", (message: ToThread) => {
          if (message.kind === "close") void close(message.reason);
          else listen(message);
        });
      },
    },
    service.methods,
  );
  const close = async (reason: string): Promise<void> => {
    channel.abortRunning(new RpcError(reason));
    await service.close?.();
    port.close();
  };
}
