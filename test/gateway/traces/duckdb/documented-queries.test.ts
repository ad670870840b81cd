/** The SQL of the documentation: questions, put to a file that a store wrote. */
import { join } from "node:path";
import { DuckDBInstance, type JS } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FEEDBACK_COLUMNS,
  LONG_TEXT_COLUMNS,
  TRACE_COLUMNS,
} from "../../../../src/gateway/traces/duckdb/schema.js";
import type { TracedMessage } from "../../../../src/gateway/traces/traced-message.js";
import { examplesIn, readPage } from "../../../docs/examples.js";
import { folderForTests } from "../../../support/folders.js";
import {
  attemptOf,
  failedTrace,
  requestIdAt,
  routedTrace,
  said,
  traceWith,
  USAGE,
} from "../trace-for-test.js";
import { openStore } from "./database-for-test.js";

const page = readPage("docs/traces-sql.md");
const questions = examplesIn("sql").map(({ heading, code }) => ({ question: heading, sql: code }));

/** Noon of the day before, so that all are of one day and of the last seven. */
const DAY_MS = 86_400_000;
const yesterday = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;
const DAY = new Date(yesterday).toISOString().slice(0, 10);
const at = (minutes: number) => yesterday + minutes * 60_000;

const costing = (usd: number) => ({ ...USAGE, total_cost_usd: usd });
const call = (city: string) =>
  ({ type: "function", function: { name: "weather", arguments: `{"city":"${city}"}` } }) as const;
const conversation: readonly TracedMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Weather?" },
  { role: "assistant", content: null, tool_calls: [call("Ulm"), call("Bonn")] },
  { role: "tool", content: "rain" },
];
const expensive = traceWith({
  createdAtMs: at(0),
  principal: "key_big",
  model: "large",
  latencyMs: 2000,
  usage: costing(0.5),
  content: { input: said("What of it matters?"), output: "Nothing." },
});
const traces = [
  expensive,
  traceWith({ createdAtMs: at(1), latencyMs: 100, usage: costing(0.1), metadata: { tenant: "acme" } }),
  traceWith({
    createdAtMs: at(2),
    latencyMs: 300,
    usage: costing(0.1),
    metadata: { tenant: "umbrella" },
    content: { input: conversation, output: "It rains." },
    attempts: [attemptOf({ provider: "lab", status: 503, code: "upstream_error" }), attemptOf()],
  }),
  failedTrace({ createdAtMs: at(10), provider: "lab", model: "gpt-4o-mini" }),
  routedTrace({ createdAtMs: at(20), principal: "key_router", usage: costing(0.0003), metadata: {} }),
  traceWith({
    createdAtMs: yesterday - 30 * DAY_MS,
    requestId: requestIdAt(0),
    principal: "key_old",
    usage: null,
  }),
];

/** The first row that answers each question, or a part of it. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, JS>>>> = {
  "What did each key spend in the last seven days?": { principal: "key_big", requests: 1n, usd: 0.5 },
  "Which upstream calls fail, retries and fallbacks included?": {
    provider: "lab",
    code: "upstream_error",
    attempts: 1n,
  },
  "What does routing choose, and does the cost come out as expected?": {
    selected_model: "gpt-4o-mini",
    expected_quality: 0.83,
    actual_usd: 0.0003,
  },
  "Which models get the worst feedback?": { model: "large", rated: 1n, mean_score: 0.2, with_comment: 1n },
  "Which tools do models call, and how long are conversations?": {
    name: "weather",
    calls: 2n,
    most_messages: 4n,
  },
};

describe("docs/traces-sql.md", () => {
  const folder = folderForTests();
  let database: DuckDBInstance;
  beforeAll(async () => {
    const path = join(folder, "traces.duckdb");
    const store = openStore(path);
    await store.append(traces);
    await store.keepFeedback(
      expensive.requestId,
      { score: 0.2, comment: "Too long.", givenAtMs: at(5) },
      { scope: "all" },
    );
    await store.close();
    database = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
  });
  afterAll(() => {
    database.closeSync();
  });

  async function rowsOf(sql: string): Promise<Record<string, JS>[]> {
    const connection = await database.connect();
    const reader = await connection.runAndReadAll(sql);
    connection.closeSync();
    return reader.getRowObjectsJS();
  }

  it("asks exactly the questions that have an expected answer in this test", () => {
    expect(questions.map(({ question }) => question)).toEqual(Object.keys(ANSWERS));
  });

  it.each(questions)("answers: $question", async ({ question, sql }) => {
    const [first] = await rowsOf(sql);
    expect(first).toMatchObject(ANSWERS[question] ?? {});
  });

  it("names every column of the tables", () => {
    for (const column of [TRACE_COLUMNS, LONG_TEXT_COLUMNS, FEEDBACK_COLUMNS].flatMap(Object.keys)) {
      expect(page).toContain(`\`${column}\``);
    }
  });

  it("states that days are in UTC", async () => {
    const [newest] = await rowsOf("SELECT strftime(max(created_at), '%Y-%m-%d') AS day FROM traces");
    expect(newest).toEqual({ day: DAY });
  });
});
