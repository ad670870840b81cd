import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import type { PromptRow } from "../outcomes/read-prompts.js";
import { GrowableColumn } from "./model-cells.js";

/** Categories with fewer prompts do not form a topic of their own, because the model's results there are too uncertain. */
const FEWEST_PROMPTS_A_TOPIC = 30;
const MAX_BENCHMARKS = 0x1_0000;
/** Bytes of UTF-8 per token where no row counted them; the figure the router prices prompts by. */
const BYTES_PER_TOKEN = 4;

interface RegisteredTopics {
  readonly names: readonly string[];
  /** Topic of each kept prompt. */
  readonly indexOf: Uint16Array;
  /** Names of the topics that are named after their source, as no prompt of them named a benchmark or a frequent category. */
  readonly unlabelled: readonly string[];
}

/** Numbers the prompts of all sources in reading order and stores their table data, without text. */
export class PromptRegister {
  readonly ids: string[] = [];
  readonly sourceOf = new GrowableColumn((length) => new Uint16Array(length));
  readonly #benchmarkOf = new GrowableColumn((length) => new Uint16Array(length));
  readonly #benchmarks = new Map<string, number>();
  /** 1 for prompts that name their benchmark. */
  readonly #hasBenchmark = new GrowableColumn((length) => new Uint8Array(length));
  readonly #categoryOf = new GrowableColumn((length) => new Uint32Array(length));
  readonly #categories = new Map<string, number>();
  readonly #bytes = new GrowableColumn((length) => new Uint32Array(length));
  readonly #tokensInSum = new GrowableColumn((length) => new Float64Array(length));
  readonly #tokensInRows = new GrowableColumn((length) => new Uint32Array(length));
  /** Prompt numbers by the ids of the source that is being read. */
  #numbers = new Map<string, number>();
  #source: { readonly name: string; readonly index: number } | undefined;

  /** Starts another source, whose ids may equal those of earlier sources. */
  begin(source: { readonly name: string; readonly index: number }): void {
    this.#source = source;
    this.#numbers = new Map();
  }

  /** @throws OutcomeDataError when the id already exists in the same source */
  add(prompt: PromptRow, file: string): void {
    if (this.#numbers.has(prompt.id)) {
      throw new OutcomeDataError(
        { file, row: prompt.row, field: "id" },
        `${JSON.stringify(prompt.id)} is the id of an earlier prompt; give every prompt of a source its own id`,
      );
    }
    const { name, index } = this.#source ?? { name: "", index: 0 };
    this.#numbers.set(prompt.id, this.ids.length);
    this.ids.push(`${name}:${prompt.id}`);
    this.sourceOf.push(index);
    this.#benchmarkOf.push(this.#numberOfBenchmark(prompt.benchmark ?? name, file));
    this.#hasBenchmark.push(prompt.benchmark == null ? 0 : 1);
    const category = prompt.category ?? "";
    if (!this.#categories.has(category)) this.#categories.set(category, this.#categories.size);
    this.#categoryOf.push(this.#categories.get(category) ?? 0);
    this.#bytes.push(Buffer.byteLength(prompt.text));
    this.#tokensInSum.push(0);
    this.#tokensInRows.push(0);
  }

  /** Number of a prompt of the source being read, undefined when there is none. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  addTokensIn(prompt: number, tokens: number): void {
    this.#tokensInSum.add(prompt, tokens);
    this.#tokensInRows.add(prompt, 1);
  }

  /** Mean over the added values; estimated from the prompt's length where there are none. */
  tokensIn(prompt: number): number {
    const rows = this.#tokensInRows.values()[prompt] ?? 0;
    if (rows === 0) return Math.ceil((this.#bytes.values()[prompt] ?? 0) / BYTES_PER_TOKEN);
    return (this.#tokensInSum.values()[prompt] ?? 0) / rows;
  }

  /** Sorted benchmark names, and the index of each kept prompt's benchmark; benchmarks without a kept prompt are removed. */
  benchmarks(keep: Uint32Array): { readonly names: readonly string[]; readonly indexOf: Uint16Array } {
    const present = new Set(Array.from(keep, (prompt) => this.#benchmarkOf.values()[prompt]));
    const names = [...this.#benchmarks]
      .filter(([, number]) => present.has(number))
      .map(([name]) => name)
      .sort();
    const indexByBenchmark = new Map(names.map((name, index) => [this.#benchmarks.get(name), index]));
    const indexOf = Uint16Array.from(
      keep,
      (prompt) => indexByBenchmark.get(this.#benchmarkOf.values()[prompt]) ?? 0,
    );
    return { names, indexOf };
  }

  /** Benchmarks, divided into categories with enough prompts; sorted, with the index of each kept prompt's. */
  topics(keep: Uint32Array): RegisteredTopics {
    const benchmarks = [...this.#benchmarks.keys()];
    const categories = [...this.#categories.keys()];
    const counts = new Map<string, number>();
    const fine = Array.from(keep, (prompt) => {
      const benchmark = benchmarks[this.#benchmarkOf.values()[prompt] ?? 0] ?? "";
      const category = categories[this.#categoryOf.values()[prompt] ?? 0] ?? "";
      const name = category === "" ? benchmark : `${benchmark}/${category}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return { benchmark, name };
    });
    const chosen = fine.map(({ benchmark, name }) =>
      (counts.get(name) ?? 0) >= FEWEST_PROMPTS_A_TOPIC ? name : benchmark,
    );
    const names = [...new Set(chosen)].sort();
    const index = new Map(names.map((name, position) => [name, position]));
    const labelled = new Set(
      chosen.filter((name, at) => name !== fine[at]?.benchmark || this.#namesBenchmark(keep[at])),
    );
    return {
      names,
      indexOf: Uint16Array.from(chosen, (name) => index.get(name) ?? 0),
      unlabelled: names.filter((name) => !labelled.has(name)),
    };
  }

  #namesBenchmark(prompt: number | undefined): boolean {
    return prompt !== undefined && this.#hasBenchmark.values()[prompt] === 1;
  }

  #numberOfBenchmark(name: string, file: string): number {
    const known = this.#benchmarks.get(name);
    if (known !== undefined) return known;
    if (this.#benchmarks.size === MAX_BENCHMARKS) {
      throw new OutcomeDataError(
        { file, field: "benchmark" },
        `there are more than ${MAX_BENCHMARKS} benchmarks; a benchmark names a test set, not a prompt`,
      );
    }
    this.#benchmarks.set(name, this.#benchmarks.size);
    return this.#benchmarks.size - 1;
  }
}
