import { findDataFiles } from "../outcomes/find-files.js";
import { OutcomeDataError } from "../outcomes/outcome-data-error.js";
import { type OutcomeRow, readOutcomes } from "../outcomes/read-outcomes.js";
import { type PromptFileOptions, readPrompts } from "../outcomes/read-prompts.js";
import { type RowFilter, RowSelection } from "../outcomes/row-filter.js";
import { ModelCells } from "./model-cells.js";
import type { OutcomeTable, SourceFacts } from "./outcome-table.js";
import { indexed, meanTokensIn, PromptRegister, type RegisteredPrompt, topicsOf } from "./prompt-register.js";
import { ServiceTimes } from "./service-times.js";

/** One source of outcomes: its files, and its entry in the manifest. */
export interface OutcomeSource extends SourceFacts {
  /** Files or folders, see `findDataFiles`. */
  readonly prompts: readonly string[];
  /** Files or folders. */
  readonly outcomes: readonly string[];
  /** Column with the seconds of a whole answer, in place of `latency_ms`. */
  readonly seconds?: string | undefined;
  /** Rows of either that are read; all when absent. */
  readonly only?: RowFilter | undefined;
}

export interface CollectOutcomesOptions extends PromptFileOptions {
  /** Catalog id of an original model name, which may be the name itself. Names with the same id are merged. */
  readonly rename?: (original: string, row: Pick<OutcomeRow, "effort" | "modelSource">) => string;
  /** Called after every 10,000 rows with the rows read so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Larger shares of outcome rows without a prompt mean that the files do not belong together (guess). */
const MAX_UNKNOWN_SHARE = 0.5;
const ROWS_PER_REPORT = 10_000;

/**
 * Reads all sources into one table. Prompts are the same anchor only if they have the same id in the same source; rows
 * of the same anchor and model are averaged, weighted by their samples. Prompts without any observed score are omitted.
 * Memory: about 400 bytes a prompt and 60 a row.
 *
 * @throws OutcomeDataError at the first fault of a file, when two sources have the same name, when more than half of a
 * source's rows name unknown prompts, or when no score is left
 */
export async function collectOutcomes(
  sources: readonly OutcomeSource[],
  options: CollectOutcomesOptions = {},
): Promise<OutcomeTable> {
  requireDistinctNames(sources);
  const state: CollectState = {
    prompts: new PromptRegister(),
    models: new Map(),
    services: new Map(),
    scales: new Set(),
    rows: 0,
  };
  const counts: RowCounts[] = [];
  for (const [index, source] of sources.entries()) {
    const only = new RowSelection(source.only);
    await readSourcePrompts(state.prompts, source, { ...options, only, index });
    counts.push(await readSourceOutcomes(state, source, { ...options, only }));
    requireMet(only, source);
  }
  return finishTable(state, sources, { counts });
}

interface CollectState {
  readonly prompts: PromptRegister;
  readonly models: Map<string, ModelCells>;
  readonly services: Map<string, ServiceTimes>;
  readonly scales: Set<string>;
  rows: number;
}

interface RowCounts {
  rows: number;
  unknown: number;
}

function requireDistinctNames(sources: readonly OutcomeSource[]): void {
  const names = new Set<string>();
  for (const { name, prompts } of sources) {
    if (names.has(name)) {
      const file = prompts[0] ?? name;
      throw new OutcomeDataError({ file }, `two sources are named "${name}"; give each source its own name`);
    }
    names.add(name);
  }
}

async function readSourcePrompts(
  prompts: PromptRegister,
  source: OutcomeSource,
  options: CollectOutcomesOptions & { readonly index: number },
): Promise<void> {
  prompts.begin({ name: source.name, index: options.index });
  for (const file of await findDataFiles(source.prompts, "prompts")) {
    for await (const prompt of readPrompts(file, options)) prompts.add(prompt, file);
  }
}

async function readSourceOutcomes(
  state: CollectState,
  source: OutcomeSource,
  options: CollectOutcomesOptions & { readonly only: RowSelection },
): Promise<RowCounts> {
  const counts: RowCounts = { rows: 0, unknown: 0 };
  let unknown: { readonly file: string; readonly row: OutcomeRow } | undefined;
  for (const file of await findDataFiles(source.outcomes, "outcomes")) {
    for await (const row of readOutcomes(file, { ...options, seconds: source.seconds })) {
      requireHiddenWithin(row, { file, source });
      counts.rows += 1;
      if (row.scale !== null) state.scales.add(row.scale);
      state.rows += 1;
      if (state.rows % ROWS_PER_REPORT === 0) options.onRows?.(state.rows);
      addService(state.services, row, options.rename);
      const anchor = state.prompts.numberOf(row.id);
      if (anchor === undefined) {
        counts.unknown += 1;
        unknown ??= { file, row };
      } else if (row.score !== null)
        addCell(state, row, { anchor, score: row.score, rename: options.rename });
    }
  }
  if (unknown !== undefined && counts.unknown > MAX_UNKNOWN_SHARE * counts.rows) {
    throw new OutcomeDataError(
      { file: unknown.file, row: unknown.row.row, field: "id" },
      `${JSON.stringify(unknown.row.id)} is not among the prompts of source "${source.name}", nor are the ids of ` +
        `${counts.unknown} of ${counts.rows} rows; name the prompts that belong to these outcomes`,
    );
  }
  return counts;
}

/** Vendors count hidden tokens with other tokenizers than their answers': up to a sixth more than all (ctala, 2026-11). */
const MOST_HIDDEN_OF_ALL = 2;

function requireHiddenWithin(
  { row, tokensOut, tokensReasoning }: OutcomeRow,
  { file, source }: { readonly file: string; readonly source: OutcomeSource },
): void {
  if (source.lengths === "visible" || tokensOut === null || tokensReasoning === null) return;
  if (tokensReasoning <= MOST_HIDDEN_OF_ALL * tokensOut) return;
  throw new OutcomeDataError(
    { file, row, field: "tokens_reasoning" },
    `is ${tokensReasoning}, more than ${MOST_HIDDEN_OF_ALL} times tokens_out (${tokensOut}), which counts hidden tokens too; add them ` +
      'to tokens_out, or say "lengths": "visible" of the source',
  );
}

/** A misspelt field or value would silently read all rows, or too few. */
function requireMet(only: RowSelection, { name, outcomes }: OutcomeSource): void {
  const unmet = only.unmet();
  if (unmet === undefined) return;
  throw new OutcomeDataError(
    { file: outcomes[0] ?? name, field: unmet.field },
    `no prompt or outcome of source "${name}" has the value ${JSON.stringify(unmet.value)} that its "only" names; correct the ` +
      "name of the field or the value, or leave the value out",
  );
}

function addService(
  services: CollectState["services"],
  row: OutcomeRow,
  rename: CollectOutcomesOptions["rename"],
): void {
  if (row.latencyMs === null && row.ttftMs === null && row.failures === null) return;
  const id = rename?.(row.model, row) ?? row.model;
  const service = services.get(id) ?? new ServiceTimes();
  services.set(id, service);
  service.add(row);
}

function addCell(
  state: CollectState,
  row: OutcomeRow,
  cell: {
    readonly anchor: number;
    readonly score: number;
    readonly rename: CollectOutcomesOptions["rename"] | undefined;
  },
): void {
  const id = cell.rename?.(row.model, row) ?? row.model;
  let model = state.models.get(id);
  if (model === undefined) {
    model = new ModelCells(id);
    state.models.set(id, model);
  }
  model.add(row, cell);
  if (row.tokensIn !== null) state.prompts.addTokensIn(cell.anchor, row.tokensIn);
}

function finishTable(
  { prompts: { prompts }, models, services, scales }: CollectState,
  sources: readonly OutcomeSource[],
  { counts }: { readonly counts: readonly RowCounts[] },
): OutcomeTable {
  const cells = [...models.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
  const scored = new Set(cells.flatMap(({ anchors }) => anchors));
  const kept = prompts.filter((_, prompt) => scored.has(prompt));
  if (kept.length === 0) {
    const file = sources[0]?.outcomes[0] ?? "outcomes";
    throw new OutcomeDataError(
      { file },
      "not one observed score was found; give outcomes with scores in [0, 1]",
    );
  }
  let anchors = 0;
  const renumber = Uint32Array.from(prompts, (_, prompt) => (scored.has(prompt) ? anchors++ : anchors));
  const benchmarks = indexed(kept.map(({ benchmark }) => benchmark));
  const topics = topicsOf(kept);
  return {
    promptIds: kept.map(({ id }) => id),
    benchmarks: benchmarks.names,
    benchmarkOf: benchmarks.indexOf,
    topics: topics.names,
    topicOf: topics.indexOf,
    unlabelledTopics: topics.unlabelled,
    scales: [...scales],
    sources: sources.map(({ name, licence, commit, url, lengths = "total" }, index) => {
      const ofSource = ({ source }: RegisteredPrompt) => source === index;
      const anchors = kept.filter(ofSource).length;
      return {
        name,
        licence,
        commit,
        url,
        lengths,
        anchors,
        promptsWithoutScore: prompts.filter(ofSource).length - anchors,
        rows: counts[index]?.rows ?? 0,
        rowsOfUnknownPrompts: counts[index]?.unknown ?? 0,
      };
    }),
    sourceOf: Uint16Array.from(kept, ({ source }) => source),
    tokensIn: Float32Array.from(kept, meanTokensIn),
    models: cells.map((model) => {
      const service = services.get(model.model)?.finish();
      return { ...model.finish(renumber), ...(service && { service }) };
    }),
  };
}
