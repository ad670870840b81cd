import { SextantError } from "../../foundation/errors.js";
import type { Cancel, Timers } from "../../foundation/timers.js";
import type { ResponseMemory, StoredResponse } from "../conversations/response-memory.js";
import { type KeptReply, type Provider, ProviderFault } from "../providers/provider.js";
import type { Usage } from "../traces/trace.js";
import { AnswerText } from "./answer-text.js";
import type { RunningRequest } from "./settle.js";

/** A response that its provider goes on with, until its end has been seen. */
export interface BackgroundRun {
  readonly key: string;
  readonly stored: StoredResponse;
  readonly running: RunningRequest;
}

export interface BackgroundRunsOptions {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly memory: ResponseMemory;
  readonly timers: Timers;
  readonly pollMs: number;
  readonly maxTextCharacters: number;
}

/**
 * Asks providers for the responses that they make in the background until these have ended, so that each is billed and
 * traced once, whether a client asks for it or not.
 */
export class BackgroundRuns {
  readonly #runs = new Map<string, { readonly run: BackgroundRun; cancel: Cancel | null }>();
  readonly #abort = new AbortController();

  constructor(private readonly options: BackgroundRunsOptions) {}

  /** No one asks for it until it is watched: whoever reads its events sees its end. */
  add(run: BackgroundRun): void {
    this.#runs.set(run.key, { run, cancel: null });
  }

  /** Asks for it from now on, unless its end has been seen. */
  watch(key: string): void {
    const entry = this.#runs.get(key);
    if (entry !== undefined) entry.cancel ??= this.#later(entry.run);
  }

  /**
   * What the provider said of a response, whoever asked. Ends its run when it has ended.
   *
   * @returns what the run has used, when this was its end
   */
  async seen(key: string, reply: KeptReply): Promise<Usage | null> {
    const { response } = reply;
    const entry = this.#runs.get(key);
    if (entry === undefined || response === null || response.status === "running") return null;
    this.#over(key);
    const { run } = entry;
    const text = new AnswerText(this.options.maxTextCharacters);
    text.addCompletion(response.completion);
    const { running } = run;
    const generation = { tokens: response.usage, text };
    const failed = response.status === "failed";
    const usage = failed && response.usage === null ? null : await running.measured(generation);
    if (failed) running.failed(failedRun(reply), { usage, text });
    else if (usage !== null) running.succeeded(usage, generation);
    return usage;
  }

  /** Leaves what has not ended to the next process. */
  stop(): void {
    this.#abort.abort();
    for (const { run, cancel } of this.#runs.values()) {
      cancel?.();
      run.running.postponed();
    }
    this.#runs.clear();
  }

  #later(run: BackgroundRun): Cancel {
    return this.options.timers.after(this.options.pollMs, () => void this.#poll(run));
  }

  async #poll(run: BackgroundRun): Promise<void> {
    const { providers, memory } = this.options;
    const { key, stored } = run;
    try {
      const known = await memory.find("stored", key);
      const call = { method: "GET", id: stored.id, query: "" } as const;
      const reply =
        known === undefined
          ? undefined
          : await providers.get(stored.provider)?.kept?.(call, { signal: this.#abort.signal });
      if (reply === undefined) this.#lost(run);
      else await this.seen(key, reply);
    } catch (reason) {
      if (reason instanceof ProviderFault && reason.status === 404) this.#lost(run);
    }
    const entry = this.#runs.get(key);
    if (entry !== undefined) entry.cancel = this.#later(run);
  }

  /** It was deleted before its end was seen: what it cost is not known any more. */
  #lost({ key, running }: BackgroundRun): void {
    if (!this.#runs.has(key)) return;
    this.#over(key);
    running.failed(
      new SextantError("upstream_error", "The response was deleted, or forgotten, before it had ended."),
    );
  }

  #over(key: string): void {
    const entry = this.#runs.get(key);
    entry?.cancel?.();
    this.#runs.delete(key);
    if (entry === undefined) return;
    const { run: _over, ...stored } = entry.run.stored;
    void this.options.memory.find("stored", key).then((known) => {
      if (known !== undefined) this.options.memory.keep({ kind: "stored", key, value: stored });
    });
  }
}

function failedRun({ body }: KeptReply): SextantError {
  const error = body.error as { readonly message?: unknown } | null | undefined;
  const said = typeof error?.message === "string" ? `: ${error.message}` : "";
  return new SextantError("upstream_error", `The provider's run in the background failed${said}`, {
    safeMessage: "The provider's run in the background failed.",
  });
}
