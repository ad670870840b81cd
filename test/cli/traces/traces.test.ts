/** `sextant traces`: from a store of its own, and from a real server over HTTP, with the same output. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStoredTraces } from "../../../src/cli/open-stored-traces.js";
import { runCli } from "../../../src/cli/program.js";
import { SextantError } from "../../../src/foundation/errors.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import { noStore } from "../../../src/gateway/traces/no-store.js";
import { StoreDownError } from "../../../src/gateway/traces/store-down.js";
import { type CliRunOptions, cliRun } from "../../fakes/cli-context.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import {
  ADMIN_KEY,
  KEY,
  listening,
  READER_KEY,
  startTestServer,
  type TestServer,
} from "../../gateway/server.js";
import {
  failedTrace,
  NOON,
  routedTrace,
  said,
  traceWith,
  USAGE,
} from "../../gateway/traces/trace-for-test.js";
import { folderForTest } from "../../support/folders.js";

const MINUTE = 60_000;
const newest = traceWith({ requestId: "req_newest", createdAtMs: NOON });
const routed = routedTrace({
  requestId: "req_routed",
  createdAtMs: NOON - MINUTE,
  source: "billing",
  metadata: { tenant: "acme=co", note: "tab\there" },
  usage: { ...USAGE, total_cost_usd: null, estimated: true },
});
const failed = failedTrace({ requestId: "req_failed", createdAtMs: NOON - 2 * MINUTE });
const ALL = [newest, routed, failed];

let folder = "";
let server: TestServer;
let url = "";
beforeAll(async () => {
  const store = new MemoryTraceStore();
  await store.append(ALL);
  server = startTestServer({ traces: store });
  url = `http://127.0.0.1:${await listening(server.app)}`;
});
afterAll(() => server.app.close());
beforeEach(() => {
  folder = folderForTest();
});

async function storeWith(traces = ALL): Promise<MemoryTraceStore> {
  const store = new MemoryTraceStore();
  await store.append(traces);
  return store;
}

async function run(argv: readonly string[], options: Partial<CliRunOptions> = {}) {
  const cli = cliRun({ workingDirectory: folder, nowMs: NOON, ...options });
  const exitCode = await runCli(["traces", ...argv], cli.context);
  return { exitCode, stdout: cli.stdout(), stderr: cli.stderr() };
}

/** That a run fails with this code, says this on standard error, and prints nothing. */
async function expectFailure(
  argv: readonly string[],
  [exitCode, message]: readonly [number, string | RegExp],
  options: Partial<CliRunOptions> = {},
): Promise<void> {
  const told =
    typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message);
  expect(await run(argv, options)).toEqual({ exitCode, stdout: "", stderr: told });
}

/** Where the traces come from, and what a run needs for that. */
const PLACES: readonly (readonly [string, () => Promise<Partial<CliRunOptions>>])[] = [
  ["a store", async () => ({ traces: await storeWith() })],
  ["a server", async () => ({ environment: { SEXTANT_BASE_URL: `${url}/v1/`, SEXTANT_API_KEY: ADMIN_KEY } })],
];

describe.each(PLACES)("sextant traces from %s", (_, source) => {
  const ask = async (...argv: readonly string[]) => run(argv, await source());

  it("`search` prints a table of the newest traces, and their total on standard error", async () => {
    const { exitCode, stdout, stderr } = await ask("search");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "time (UTC)               request id  model        provider  status   tokens  cost (USD)  ms",
      "2026-01-15 12:00:00.000  req_newest  gpt-4o-mini  openai    success  12 + 7  0.0004      813",
      "2026-01-15 11:59:00.000  req_routed  gpt-4o-mini  openai    success  12 + 7  –           813",
      "2026-01-15 11:58:00.000  req_failed  –            –         error    –       0           813",
      "",
    ]);
    expect(stderr).toBe("3 of 3 traces\n");
  });

  it.each([
    ["--source billing", ["req_routed"]],
    ["--model-id gpt-4o-mini", ["req_newest", "req_routed"]],
    ["--provider nobody", []],
    ["--status error", ["req_failed"]],
    ["--kind router", ["req_routed"]],
    ["--key key_1 --kind router", ["req_routed"]],
    ["--error-code upstream_error", ["req_failed"]],
    ["--attempt-code upstream_error", ["req_failed"]],
    ["--executed false", []],
    ["--has-feedback false --limit 1", ["req_newest"]],
    ["--q 2+2", []],
    ["--q What", ["req_newest", "req_routed"]],
    ["--metadata tenant=acme=co", ["req_routed"]],
    ["--metadata tenant=acme --metadata tier=3", ["req_newest"]],
    ["--start-date 2026-01-15T11:59", ["req_newest", "req_routed"]],
    ["--start-date 1m --end-date 2026-01-15T13:00+01:00", ["req_routed"]],
    ["--limit 1 --offset 1", ["req_routed"]],
  ])("`search %s` finds %j", async (filters, ids) => {
    const { exitCode, stdout, stderr } = await ask("search", "--json", ...filters.split(" "));
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).traces).toMatchObject(ids.map((request_id) => ({ request_id })));
  });

  it("`search` says how to see the next page", async () => {
    const { stderr } = await ask("search", "--limit", "1", "--offset", "1");
    expect(stderr).toBe("1 of 3 traces; --offset 2 shows the next\n");
  });

  it("`search` explains an invalid value by the name of its option", async () => {
    const invalid = ["search", "--start-date", "soon"];
    await expectFailure(invalid, [2, 'sextant: `--start-date` is "soon": it must be a date'], await source());
    expect((await ask("stats", "--by", "modle")).stderr).toBe(
      'sextant: `--by` has "modle", which traces are not grouped by. Did you mean "model"?\n',
    );
  });

  it("`show` prints facts, attempts and texts, without texts where none were stored", async () => {
    const { stdout } = await ask("show", "req_routed");
    expect(stdout.split("\n")).toEqual([
      "request     req_routed",
      "time (UTC)  2026-01-15 11:59:00.000",
      "kind        router",
      "source      billing",
      "API key     key_1",
      "model       gpt-4o-mini",
      "provider    openai",
      "status      success, stop",
      "tokens      12 in, 7 out (estimated)",
      "cost (USD)  –",
      "latency     813 ms, first content after 120 ms",
      "metadata    tenant=acme=co, note=tab\\u0009here",
      "routed      gpt-4o-mini: cheapest within noise of the best",
      "",
      "attempts",
      "provider  model        status  code  ms   cost (USD)",
      "openai    gpt-4o-mini  200     ok    800  – (estimated)",
      "",
      "prompt",
      "What is 2 + 2?",
      "",
      "answer",
      "4",
      "",
    ]);
    const without = (await ask("show", "req_failed")).stdout;
    expect(without).toContain("error       upstream_error: every attempt failed");
    expect(without).not.toMatch(/prompt|answer|attempts\n/);
  });

  it("`show` reports an unknown trace and fails", async () => {
    await expectFailure(
      ["show", "req_no/such"],
      [1, /^sextant: There is no trace "req_no\/such"/],
      await source(),
    );
  });

  it("`stats` prints a row for each group, and how many costs are missing", async () => {
    const { stdout, stderr } = await ask("stats", "--by", "day,model");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).join(" | "))).toEqual([
      "model | day | requests | errors | timeouts | tokens in | tokens out | cost (USD) | saved (USD) | " +
        "ms p50 | p90 | p99 | first content p50 | p90 | p99",
      "gpt-4o-mini | 2026-01-15 | 2 | 0 | 0 | 24 | 14 | 0.0004 | – | 813 | 813 | 813 | – | – | –",
      "– | 2026-01-15 | 1 | 1 | 0 | 0 | 0 | 0 | – | – | – | – | – | – | –",
      "",
    ]);
    expect(stderr).toBe("the cost of 1 requests is not known and not in the sums\n");
    const unpriced = (await ask("stats", "--metadata", "tenant=acme=co")).stdout.split("\n");
    expect(unpriced[1]?.split(/ +/).slice(0, 7)).toEqual(["1", "0", "0", "12", "7", "–", "–"]);
    const [all] = JSON.parse((await ask("stats", "--json", "--status", "success")).stdout);
    expect(all).toMatchObject({ group: {}, requests: 2, requests_without_cost: 1 });
  });

  it("`export` writes whole traces, oldest first, to a file that only its owner can read", async () => {
    const { exitCode, stdout, stderr } = await ask("export", "--out", "all.jsonl");
    expect([exitCode, stdout, stderr]).toEqual([0, "", "3 traces written to all.jsonl\n"]);
    const lines = readFileSync(join(folder, "all.jsonl"), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    const traces = lines.map((line) => JSON.parse(line));
    expect(traces.map(({ request_id }) => request_id)).toEqual(["req_failed", "req_routed", "req_newest"]);
    for (const trace of traces) {
      expect(trace).toEqual(JSON.parse((await ask("show", "--json", trace.request_id)).stdout));
    }
    expect(statSync(join(folder, "all.jsonl")).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, "all.jsonl.partial"))).toBe(false);
  });

  it("`export` accepts filters, and writes to standard output on demand", async () => {
    const none = await ask("export", "--out", "-", "--status", "error", "--metadata", "none=1");
    expect(none).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const one = await ask("export", "--out", "-", "--kind", "router");
    expect(JSON.parse(one.stdout)).toMatchObject({ request_id: "req_routed", input_text: "What is 2 + 2?" });
  });
});

describe("sextant traces", () => {
  it("`show` prints reasoning before the answer, and feedback with control characters escaped", async () => {
    const content = { input: said("2 + 2?"), output: "4", reasoning: "Two and two." };
    const feedback = { score: 0.5, comment: "so\tso", givenAtMs: NOON + MINUTE };
    const thought = { ...traceWith({ requestId: "req_thought", content }), feedback };
    const { stdout } = await run(["show", "req_thought"], { traces: await storeWith([thought]) });
    expect(stdout).toMatch(/\n\nprompt\n2 \+ 2\?\n\nreasoning\nTwo and two\.\n\nanswer\n4\n$/);
    expect(stdout).toContain("\nfeedback    0.5: so\\u0009so (2026-01-15 12:01:00.000)\n");
  });

  it("`show` names who said what in a conversation", async () => {
    const call = { type: "function", function: { name: "weather", arguments: "{}" } } as const;
    const input = [
      { role: "user", content: "Weather?\nuser: no message" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", content: "rain" },
    ] as const;
    const talk = traceWith({ requestId: "req_talk", content: { input: input, output: "It rains." } });
    const { stdout } = await run(["show", "req_talk"], { traces: await storeWith([talk]) });
    expect(stdout).toContain(
      "\n\nprompt\nuser: Weather?\nuser: no message\nassistant: [tool_call] weather({})\ntool: rain\n\nanswer\n",
    );
  });

  it("`search` names decisions without execution, whose tokens and cost `stats` does not miss", async () => {
    const decided = traceWith({ requestId: "req_decided", kind: "router", usage: null, attempts: [] });
    const { stdout } = await run(["search"], { traces: await storeWith([decided]) });
    expect(stdout).toMatch(/ success {2}decision only {2}– /);
    expect((await run(["stats"], { traces: await storeWith([decided]) })).stderr).toBe("");
  });

  it("prefers --url to SEXTANT_BASE_URL, which may be in .env", async () => {
    writeFileSync(join(folder, ".env"), `SEXTANT_BASE_URL=${url}\nSEXTANT_API_KEY=${READER_KEY}\n`);
    expect((await run(["search"])).stderr).toBe("2 of 2 traces\n");
    const remedy =
      "sextant: No server answers at http://127.0.0.1:1. Start one with `sextant serve`, or give the address of another with --url.\n";
    await expectFailure(["search", "--url", "http://127.0.0.1:1"], [1, remedy]);
  });

  it("reports an error of the server, with the remedy", async () => {
    await expectFailure(["search", "--url", url], [1, /Set SEXTANT_API_KEY\.\n$/]);
    await expectFailure(["search", "--url", url], [1, "`traces:read`"], {
      environment: { SEXTANT_API_KEY: KEY },
    });
    await expectFailure(["search", "--url", "localhost:8080"], [2, "is not the address of a server"]);
  });

  it.each(["search", "show req_x", "stats"])(
    "refuses replies to `%s` of a server that is no gateway",
    async (line) => {
      const cli = cliRun({ workingDirectory: folder });
      const fetch = async () => new Response("<html>");
      const argv = ["traces", ...line.split(" "), "--url", "http://127.0.0.1:1"];
      expect(await runCli(argv, { ...cli.context, fetch })).toBe(1);
      expect(cli.stderr()).toContain("something other than traces");
    },
  );

  it("suggests the server when the store is in use, and always closes the store", async () => {
    const store = await storeWith();
    store.ask = async () => {
      throw new StoreDownError("Another process (17) uses the file.");
    };
    const remedy =
      /^sextant: Another process \(17\) uses the file\. If a server runs .*--url .* SEXTANT_API_KEY/;
    await expectFailure(["search"], [1, remedy], { traces: store });
    expect(store.health().state).toBe("closed");
  });

  it("does not create a store where there is none", () => {
    const settings = loadSettings({}, { workingDirectory: folder });
    const file = join(folder, "data", "traces.duckdb");
    expect(() => openStoredTraces(settings)).toThrow(`there is no file ${file}. Name the data folder`);
    expect(existsSync(join(folder, "data"))).toBe(false);
  });

  it("reports that traces are switched off", async () => {
    const settings = loadSettings({ SEXTANT_CH_ENABLED: "false" }, { workingDirectory: folder });
    await expectFailure(["search"], [1, "Traces are switched off"], { traces: openStoredTraces(settings) });
  });

  it("escapes terminal control sequences in traces", async () => {
    const evil = traceWith({
      requestId: "req_evil",
      model: "m\u001b[2J\n",
      content: { input: said("a\u001b]0;x\u0007b\u009b1m\u202ec\td\ne"), output: "" },
    });
    const traces = () => storeWith([evil]);
    const shown = (await run(["show", "req_evil"], { traces: await traces() })).stdout;
    expect(shown).toContain("a\\u001b]0;x\\u0007b\\u009b1m\\u202ec\td\ne");
    const listed = (await run(["search"], { traces: await traces(), isTTY: true })).stdout;
    // Colours are the table's own.
    const told = `${shown}${listed}`.replaceAll(/\p{Cc}\[\d+m/gu, "");
    expect(told.match(/[^\P{Cc}\n\t]/gu)).toBeNull();
    expect(told).not.toContain("\u202e");
    expect(listed).toContain("m\\u001b[2J\\u000a");
  });

  it.each([
    [["search", "--status", "ok"], "Allowed choices are success, error, timeout"],
    [["search", "--limit", "1001"], "It must be a whole number from 1 to 1000."],
    [["search", "--offset", "-1"], "It must be a whole number of at least 0"],
    [["search", "--metadata", "tenant"], "It must have the form key=value."],
    [["search", "--metadata", "=x"], "It must have the form key=value."],
    [["export"], "--out"],
    [["export", "--out", "x", "--format", "xlsx"], "Allowed choices are jsonl, csv"],
  ])("refuses arguments: %j", async (argv, message) => {
    await expectFailure(argv, [2, message], { traces: await storeWith() });
  });
});

describe("sextant traces export", () => {
  const exportTo = async (...argv: readonly string[]) =>
    run(["export", "--out", ...argv], { traces: await storeWith() });

  it("writes a table on demand or by the extension of the file", async () => {
    await exportTo("all.csv");
    await exportTo("routed", "--format", "csv", "--kind", "router");
    const idsIn = (file: string) => readFileSync(join(folder, file), "utf8").match(/^req_\w+/gm);
    expect(idsIn("all.csv")).toEqual(["req_failed", "req_routed", "req_newest"]);
    expect(idsIn("routed")).toEqual(["req_routed"]);
    expect((await exportTo("lines.csv", "--format", "jsonl")).exitCode).toBe(0);
    expect(readFileSync(join(folder, "lines.csv"), "utf8").split("\n")).toHaveLength(4);
  });

  it("replaces a file only when told to, and keeps it when the export fails", async () => {
    const file = join(folder, "out.jsonl");
    const failing = await storeWith();
    failing.export = async function* () {
      yield [newest];
      throw new SextantError("store_down", "The disk is gone.");
    };
    const fails = { traces: failing };
    await expectFailure(["export", "--out", file], [1, "The disk is gone."], fails);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "mine");
    expect((await exportTo(file)).stderr).toContain("out.jsonl exists.");
    await expectFailure(["export", "--out", file, "--force"], [1, "The disk is gone."], fails);
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(existsSync(`${file}.partial`)).toBe(false);
    expect((await exportTo(file, "--force")).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).not.toBe("mine");
  });

  it("fails when the server breaks off in the middle", async () => {
    const breaking = startTestServer({
      traces: {
        ...noStore,
        async *export() {
          yield [newest];
          throw new SextantError("store_down", "The disk is gone.");
        },
      },
    });
    const address = `http://127.0.0.1:${await listening(breaking.app)}`;
    const environment = { SEXTANT_API_KEY: ADMIN_KEY };
    const message = `sextant: ${address} broke off before the last trace. Try again.\n`;
    await expectFailure(["export", "--out", "x.jsonl", "--url", address], [1, message], { environment });
    expect(existsSync(join(folder, "x.jsonl"))).toBe(false);
    await breaking.app.close();
  });

  it("shows a progress bar on a terminal, and names a folder that cannot be written", async () => {
    const { stderr } = await run(["export", "--out", "x.jsonl"], { traces: await storeWith(), isTTY: true });
    expect(stderr).toContain("3 of 3 traces");
    for (const out of ["no/such/x.jsonl", "."])
      expect((await exportTo(out, "--force")).stderr).toContain("cannot be written");
  });

  it("exits with 130 when it is interrupted, and leaves no file", async () => {
    const store = await storeWith();
    const cli = cliRun({ workingDirectory: folder, traces: store });
    const plain = store.export.bind(store);
    store.export = async function* (...asked) {
      for await (const batch of plain(...asked)) {
        yield batch;
        cli.stop();
      }
    };
    expect(await runCli(["traces", "export", "--out", "x.jsonl"], cli.context)).toBe(130);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("sextant traces tail", () => {
  /** Runs `tail` against a server; before each look for further traces, the next step happens; then Ctrl-C. */
  async function tail(line: string, steps: readonly ((store: MemoryTraceStore) => unknown)[]) {
    const store = await storeWith();
    const tailed = startTestServer({ traces: store });
    const address = `http://127.0.0.1:${await listening(tailed.app)}`;
    const remaining = [...steps];
    const cli = cliRun({
      workingDirectory: folder,
      nowMs: NOON,
      environment: { SEXTANT_API_KEY: ADMIN_KEY },
      onWait: async () => {
        const step = remaining.shift();
        if (step === undefined) cli.stop();
        else await step(store);
      },
    });
    const argv = ["traces", "tail", "--url", address, ...line.split(" ")];
    const exitCode = await runCli(argv.filter(Boolean), cli.context);
    await tailed.app.close();
    const stdout = cli.stdout();
    return { exitCode, stderr: cli.stderr(), ids: stdout.match(/req_\w+/g) ?? [], stdout };
  }

  const later = (requestId: string, minutes: number, parts = {}) =>
    traceWith({ requestId, createdAtMs: NOON + minutes * MINUTE, ...parts });

  it("prints the newest traces, oldest first, then new ones as they arrive, and exits with 0", async () => {
    const { exitCode, stderr, stdout } = await tail("", [
      () => {},
      (store) => store.append([later("req_a", 1), later("req_b", 2, { model: "m2" })]),
      () => {},
      (store) => store.append([later("req_c", 3, { status: "timeout", usage: null })]),
    ]);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "2026-01-15 11:58:00.000  error       813 ms                   –           0 USD  req_failed  – (–)",
      "2026-01-15 11:59:00.000  success     813 ms       12 + 7 tokens           – USD  req_routed  gpt-4o-mini (openai)",
      "2026-01-15 12:00:00.000  success     813 ms       12 + 7 tokens      0.0004 USD  req_newest  gpt-4o-mini (openai)",
      "2026-01-15 12:01:00.000  success     813 ms       12 + 7 tokens      0.0004 USD  req_a  gpt-4o-mini (openai)",
      "2026-01-15 12:02:00.000  success     813 ms       12 + 7 tokens      0.0004 USD  req_b  m2 (openai)",
      "2026-01-15 12:03:00.000  timeout     813 ms                   –           0 USD  req_c  gpt-4o-mini (openai)",
      "",
    ]);
  });

  it("finds a long request that ends after any number of later ones", async () => {
    const many = Array.from({ length: 1200 }, (_, at) =>
      later(`req_${at}`, 2, { createdAtMs: NOON + 2 * MINUTE + at }),
    );
    const { ids } = await tail("--lines 0", [
      (store) => store.append(many),
      (store) => store.append([later("req_long", 1)]),
      () => {},
    ]);
    expect([ids.length, ids.at(-1)]).toEqual([1201, "req_long"]);
    expect(new Set(ids).size).toBe(1201);
  });

  it("prints nothing twice over hours, and applies its filters", async () => {
    const hours = Array.from(
      { length: 10 },
      (_, hour) => (store: MemoryTraceStore) =>
        store.append([
          later(`req_ok_${hour}`, 1 + hour * 60),
          later(`req_bad_${hour}`, 2 + hour * 60, { status: "error" }),
          later(`req_bad_late_${hour}`, hour * 60, { status: "error" }),
        ]),
    );
    const { ids } = await tail("--lines 1 --status error", hours);
    const expected = hours.flatMap((_, hour) => [`req_bad_late_${hour}`, `req_bad_${hour}`]);
    expect(ids).toEqual(["req_failed", ...expected]);
  });

  it("starts with none, and with fewer than requested", async () => {
    expect((await tail("--lines 0", [])).ids).toEqual([]);
    const of = (requestId: string, minutes: number) => later(requestId, minutes, { source: "new" });
    const started = await tail("--lines 5 --source new --start-date 2026-01-15", [
      (store) => store.append([of("req_first", 0), of("req_old", -1440)]),
      (store) => store.append([of("req_second", 30)]),
      (store) => store.append([of("req_older", -1440)]),
    ]);
    expect(started.ids).toEqual(["req_first", "req_second"]);
  });

  it("reports once that the server is down, and continues when it is back", async () => {
    const down = () => Promise.reject(new SextantError("store_down", "The disk is full."));
    const { stderr, ids } = await tail("--lines 1", [
      (store) => Object.assign(store, { ask: down }),
      () => {},
      (store) => Object.assign(store, { ask: MemoryTraceStore.prototype.ask }),
      (store) => store.append([later("req_back", 1)]),
    ]);
    expect(stderr).toBe("sextant: The disk is full. Trying again.\n");
    expect(ids).toEqual(["req_newest", "req_back"]);
  });

  it("prints JSON lines on demand", async () => {
    const { stdout } = await tail("--json --lines 2", []);
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).request_id);
    expect(ids).toEqual(["req_routed", "req_newest"]);
  });

  it("exits at once on a file that no other process can write to", async () => {
    await expectFailure(["tail"], [2, "only a running server adds traces"], { traces: await storeWith() });
  });
});
