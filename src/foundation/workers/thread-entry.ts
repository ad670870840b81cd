import { parentPort, workerData } from "node:worker_threads";
import { RpcError, sentError } from "./rpc-error.js";
import {
  type Call,
  type FromThread,
  type Notification,
  type ReceivedCall,
  type RpcApi,
  type RpcHandlers,
  type ToThread,
  Transferred,
} from "./thread-messages.js";

/** What a thread does. */
export interface ThreadService<Api extends RpcApi> {
  readonly methods: RpcHandlers<Api>;
  /** Finishes what must not be lost. The signals of all calls have been aborted. */
  close?(): Promise<void>;
}

const NEVER_ABORTED: ReceivedCall = new AbortController();

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
  /** Calls that have not been aborted by their caller. */
  const running = new Map<number, AbortController>();
  const run = ({ name, parameters }: Call | Notification, call: ReceivedCall) =>
    service.methods[name as keyof Api](parameters as never, call);
  const reply = async (call: Call): Promise<void> => {
    const { id } = call;
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const result = await run(call, controller);
      const { value, buffers } =
        result instanceof Transferred ? result : { value: result, buffers: undefined };
      if (running.has(id)) send({ kind: "result", id, value }, buffers);
    } catch (error) {
      if (running.has(id)) send({ kind: "error", id, error: sentError(error) });
    } finally {
      running.delete(id);
    }
  };
  /** No caller hears of an error. */
  const runUnanswered = async (notification: Notification): Promise<void> => {
    try {
      await run(notification, NEVER_ABORTED);
    } catch {}
  };
  const abort = (id: number): void => {
    const controller = running.get(id);
    running.delete(id);
    controller?.abort(new RpcError("The caller aborted the call."));
  };
  const close = async (reason: string): Promise<void> => {
    for (const controller of running.values()) controller.abort(new RpcError(reason));
    await service.close?.();
    port.close();
  };
  port.on("message", (message: ToThread) => {
    if (message.kind === "call") void reply(message);
    else if (message.kind === "notification") void runUnanswered(message);
    else if (message.kind === "abort") abort(message.id);
    else void close(message.reason);
  });
}
