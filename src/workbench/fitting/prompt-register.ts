import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import type { PromptRow } from "../outcomes/read-prompts.js";

/** Categories with fewer prompts do not form a topic of their own, because the model's results there are too uncertain. */
const FEWEST_PROMPTS_A_TOPIC = 30;
const MAX_BENCHMARKS = 0x1_0000;
/** Bytes of UTF-8 per token where no row counted them; the figure the router prices prompts by. */
const BYTES_PER_TOKEN = 4;

/** What is kept of a prompt: not its text. */
export interface RegisteredPrompt {
  /** `source:id` */
  readonly id: string;
  /** Index of its source. */
  readonly source: number;
  /** The name of the source where the prompt names none. */
  readonly benchmark: string;
  readonly namesBenchmark: boolean;
  /** Empty where it has none. */
  readonly category: string;
  readonly bytes: number;
  /** Tokens of the prompt over the outcome rows that count them. */
  readonly tokensIn: { sum: number; rows: number };
}

/** Numbers the prompts of all sources in reading order. */
export class PromptRegister {
  readonly prompts: RegisteredPrompt[] = [];
  readonly #benchmarks = new Set<string>();
  /** Prompt numbers by the ids of the source that is being read. */
  #numbers = new Map<string, number>();
  #source = { name: "", index: 0 };

  /** Starts another source, whose ids may equal those of earlier sources. */
  begin(source: { readonly name: string; readonly index: number }): void {
    this.#source = source;
    this.#numbers = new Map();
  }

  /** @throws OutcomeDataError when the id already exists in the same source, and for more benchmarks than there may be */
  add(prompt: PromptRow, file: string): void {
    if (this.#numbers.has(prompt.id)) {
      throw new OutcomeDataError(
        { file, row: prompt.row, field: "id" },
        `${JSON.stringify(prompt.id)} is the id of an earlier prompt; give every prompt of a source its own id`,
      );
    }
    const { name, index } = this.#source;
    const benchmark = prompt.benchmark ?? name;
    this.#benchmarks.add(benchmark);
    if (this.#benchmarks.size > MAX_BENCHMARKS) {
      throw new OutcomeDataError(
        { file, field: "benchmark" },
        `there are more than ${MAX_BENCHMARKS} benchmarks; a benchmark names a test set, not a prompt`,
      );
    }
    this.#numbers.set(prompt.id, this.prompts.length);
    this.prompts.push({
      id: `${name}:${prompt.id}`,
      source: index,
      benchmark,
      namesBenchmark: prompt.benchmark !== null,
      category: prompt.category ?? "",
      bytes: Buffer.byteLength(prompt.text),
      tokensIn: { sum: 0, rows: 0 },
    });
  }

  /** Number of a prompt of the source being read, undefined when there is none. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  addTokensIn(prompt: number, tokens: number): void {
    const { tokensIn } = this.prompts[prompt] as RegisteredPrompt;
    tokensIn.sum += tokens;
    tokensIn.rows += 1;
  }
}

/** Mean over the counted values; estimated from the prompt's length where there are none. */
export const meanTokensIn = ({ tokensIn: { sum, rows }, bytes }: RegisteredPrompt): number =>
  rows === 0 ? Math.ceil(bytes / BYTES_PER_TOKEN) : sum / rows;

/** The distinct names, sorted, and the index of each. */
export function indexed(names: readonly string[]) {
  const distinct = [...new Set(names)].sort();
  const index = new Map(distinct.map((name, position) => [name, position]));
  return { names: distinct, indexOf: Uint16Array.from(names, (name) => index.get(name) as number) };
}

/**
 * Benchmarks, divided into categories with enough prompts; sorted, with the index of each prompt's. `unlabelled` are named after their
 * source, as no prompt of them named a benchmark or a frequent category.
 */
export function topicsOf(prompts: readonly RegisteredPrompt[]) {
  const fine = prompts.map(({ benchmark, category }) =>
    category === "" ? benchmark : `${benchmark}/${category}`,
  );
  const counts = new Map<string, number>();
  for (const name of fine) counts.set(name, (counts.get(name) ?? 0) + 1);
  const chosen = prompts.map(({ benchmark }, at) => {
    const name = fine[at] as string;
    return (counts.get(name) as number) >= FEWEST_PROMPTS_A_TOPIC ? name : benchmark;
  });
  const labelled = new Set(
    chosen.filter((name, at) => name !== prompts[at]?.benchmark || prompts[at].namesBenchmark),
  );
  const topics = indexed(chosen);
  return { ...topics, unlabelled: topics.names.filter((name) => !labelled.has(name)) };
}
