import {
  AskingRound,
  type AskProgress,
  type PendingQuestion,
  type RoundDependencies,
  type RoundEnding,
} from "./asking-round.js";
import { ProviderSlots } from "./provider-slots.js";
import { type Question, questionKey } from "./question.js";

export interface AskerDependencies extends Omit<RoundDependencies, "slotsOf"> {
  /** Most calls in flight of one provider. */
  readonly providerConcurrency: number;
  /** Whether to ask again what was being asked when an earlier run was killed. */
  readonly lostCalls: "ask" | "skip";
}

/** Asks questions that the journal has no answer to, each provider at the pace that it allows. */
export class Asker {
  readonly #slots = new Map<string, ProviderSlots>();

  constructor(private readonly dependencies: AskerDependencies) {}

  /** Those of the questions that are to be asked, each once. Counts their tokens. */
  async pending(questions: readonly Question[]): Promise<readonly PendingQuestion[]> {
    const { caller, journal, lostCalls } = this.dependencies;
    const pending = new Map<string, PendingQuestion>();
    for (const question of questions) {
      const key = questionKey(question);
      if (pending.has(key) || journal.ledger.answer(key) !== undefined) continue;
      if (lostCalls === "skip" && journal.lost.has(key)) continue;
      pending.set(key, { question, key, promptTokens: await caller.countPromptTokens(question) });
    }
    return [...pending.values()];
  }

  /**
   * Asks until all questions are answered or have failed, the budget does not suffice for the next one, or the signal aborts.
   * Questions are asked in order, as far as their providers allow.
   *
   * @throws WorkbenchError when the journal cannot be written
   */
  askAll(
    pending: readonly PendingQuestion[],
    onProgress: (progress: AskProgress) => void,
  ): Promise<RoundEnding> {
    return new AskingRound(
      pending,
      { ...this.dependencies, slotsOf: (provider) => this.#slotsOf(provider) },
      onProgress,
    ).run();
  }

  /** Providers that were given up, with the reason. */
  get gaveUp(): readonly { readonly provider: string; readonly reason: string }[] {
    return [...this.#slots].flatMap(([provider, { gaveUp: reason }]) =>
      reason === undefined ? [] : [{ provider, reason }],
    );
  }

  #slotsOf(provider: string): ProviderSlots {
    const { providerConcurrency: concurrency, clock, random } = this.dependencies;
    const slots = this.#slots.get(provider) ?? new ProviderSlots({ concurrency, clock, random });
    this.#slots.set(provider, slots);
    return slots;
  }
}
