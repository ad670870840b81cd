/** Requests whose providers go on with them in the background: billed and traced when they have ended. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { Clock } from "../../foundation/timers.js";
import { keptKey, type ResponseMemory, type StoredResponse } from "../conversations/response-memory.js";
import type { Usage } from "../traces/trace.js";
import type { BackgroundRuns } from "./background-runs.js";
import type { AnswerStream } from "./inference.js";
import type { ModelCatalog } from "./model-catalog.js";
import type { ReachedChat } from "./operations.js";
import type { RequestContext } from "./request.js";
import { runEvents } from "./run-events.js";
import { answeredBy, type RecordedRequest, type RunningRequest } from "./settle.js";
import { estimatedUsageOf, NO_BOUND } from "./usage.js";

export interface BackgroundAnswersDependencies {
  readonly catalog: ModelCatalog;
  /** Where responses are that providers keep. */
  readonly responses: ResponseMemory;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The clock of `RequestContext.arrivedMs`. */
  readonly clock: Clock;
}

interface BackgroundParts {
  readonly runs: BackgroundRuns;
  readonly accept: (recorded: RecordedRequest, context: RequestContext) => Promise<RunningRequest>;
}

export class BackgroundAnswers {
  constructor(
    private readonly dependencies: BackgroundAnswersDependencies,
    private readonly parts: BackgroundParts,
  ) {}

  /** Goes on with runs that an earlier process left. Their traces have no content. */
  async resume(): Promise<void> {
    for (const { key, stored } of await this.dependencies.responses.claimRuns()) {
      await this.#resume(key, stored).catch(() => {});
    }
  }

  async #resume(key: string, stored: StoredResponse): Promise<void> {
    const { run, model, provider } = stored;
    const deployment = this.dependencies.catalog.deployments(model).find((one) => one.provider === provider);
    if (run === undefined || deployment === undefined) return;
    const { now, clock } = this.dependencies;
    const { requestId, source, createdAtMs, metadata } = run;
    const context: RequestContext = {
      requestId,
      source,
      createdAtMs,
      arrivedMs: clock() - (now() - createdAtMs),
      principal: run.principal as unknown as RequestContext["principal"],
      signal: new AbortController().signal,
    };
    const running = await this.parts.accept(
      {
        kind: "responses",
        body: { messages: [] },
        stream: false,
        metadata,
        boundOf: () => NO_BOUND,
        promptTokens: () => Promise.resolve(0),
      },
      context,
    );
    running.answering = { deployment, plan: { models: [], candidates: [] } };
    const { provider: id, model: name } = deployment;
    const attempt = { status: 200, code: "ok", message: null, latency_ms: 0 };
    running.called({ provider: id, model: name, ...attempt });
    this.parts.runs.add({ key, stored, running });
    this.parts.runs.watch(key);
  }

  /**
   * The provider goes on: the request is billed and traced when it has ended.
   *
   * @returns the key of the run, and what is known of its usage until then
   */
  started(
    runningId: string,
    deployment: Deployment,
    running: RunningRequest,
  ): { readonly key: string; readonly usage: Usage } {
    const { context, recorded } = running;
    const { requestId, source, createdAtMs, principal } = context;
    const stored: StoredResponse = {
      id: runningId,
      provider: deployment.provider,
      providerKey: running.attempts.at(-1)?.key,
      model: deployment.model,
      keptAtMs: this.dependencies.now(),
      run: { requestId, source, createdAtMs, principal: { ...principal }, metadata: recorded.metadata },
    };
    const key = keptKey(principal.id, runningId);
    this.dependencies.responses.keep({ kind: "stored", key, value: stored });
    this.parts.runs.add({ key, stored, running });
    const latencyMs = this.dependencies.clock() - context.arrivedMs;
    const bound = recorded.boundOf(deployment);
    const facts = { price: deployment.price, bound, latencyMs, ttftMs: latencyMs };
    return { key, usage: estimatedUsageOf({ promptTokens: 0, completionTokens: 0 }, facts) };
  }

  /** A run whose events are read as they come, for as long as its client reads them. */
  streamOf(
    { deployment, stream, admission }: Extract<ReachedChat, { kind: "stream" }>,
    running: RunningRequest,
  ): AnswerStream {
    const { call, held, rest, idle, firstContentMs } = stream;
    admission.succeeded({ firstContentMs: firstContentMs - call.startedMs });
    const id = held.findLast(({ run }) => run !== undefined)?.run?.body.id;
    if (typeof id !== "string") throw new TypeError("A stream of a run began without its id.");
    const { key, usage: unknown } = this.started(id, deployment, running);
    let usage = unknown;
    const { runs } = this.parts;
    const { signal } = running.context;
    async function* batches() {
      try {
        yield* runEvents({
          id: String(id),
          call,
          held,
          rest,
          idle,
          signal,
          seen: async (reply) => {
            usage = (await runs.seen(key, reply)) ?? usage;
          },
        });
      } finally {
        runs.watch(key);
      }
    }
    return { kind: "stream", batches: batches(), usage: () => usage, ...answeredBy(deployment, running) };
  }
}
