import { expect, it } from "vitest";
import { costLine, shownByAgent } from "../../../src/cli/connect/cost-line.js";
import { SextantCost } from "../../../src/cli/connect/opencode-plugin.js";
import { runCli } from "../../../src/cli/program.js";
import type { ConversationCostBody } from "../../../src/gateway/features/conversation-cost/schema.js";
import { cliRun } from "../../fakes/cli-context.js";
import { folderForTest } from "../../support/folders.js";

const SUMS = {
  ...{
    requests: 3,
    errors: 0,
    timeouts: 0,
    decisions: 0,
    tokens_in: 900,
    tokens_out: 40,
    tokens_cached: 558,
  },
  ...{ cost_usd: 0.68, requests_without_cost: 0, requests_with_baseline: 3 },
  ...{ baseline_cost_usd: 1.1, saved_usd: 0.42 },
};
const COST: ConversationCostBody = {
  object: "conversation.cost",
  id: "s-1",
  ...SUMS,
  cached_share: 0.62,
  baseline_model: "claude-opus-5",
  models: [{ model: "gpt-6-luna", ...SUMS }],
  last: { request_id: "req_1", model: "gpt-6-luna", effort: "low", reason: "cheapest" },
  request_id: "req_2",
};
const LINE = "gpt-6-luna (low) · saved $0.42 of $1.10 · 62% cached · why: cheapest";

it.each<[Partial<ConversationCostBody>, string]>([
  [{}, LINE],
  [{ saved_usd: -0.05 }, "gpt-6-luna (low) · $0.05 more than $1.10 · 62% cached · why: cheapest"],
  [{ baseline_model: null, baseline_cost_usd: 0 }, "gpt-6-luna (low) · $0.68 · 62% cached · why: cheapest"],
  [{ baseline_model: null, requests_without_cost: 1, cached_share: null, last: null }, "at least $0.68"],
])("says what a conversation cost: %j", (changes, line) => {
  expect(costLine({ ...COST, ...changes })).toBe(line);
});

/** A server that knows the conversation `s-1`, and what it was asked. */
function server() {
  const asked: unknown[] = [];
  const answer: typeof fetch = async (url, init) => {
    asked.push([String(url), new Headers(init?.headers).get("authorization")]);
    return String(url).includes("/s-1/")
      ? Response.json(COST)
      : Response.json({ error: {} }, { status: 404 });
  };
  return { asked, fetch: answer };
}

it("shows a status line, a hook's message, and nothing before the first answer", async () => {
  const { asked, fetch } = server();
  const shown = (said: object) =>
    shownByAgent(JSON.stringify(said), { root: "http://server", key: "pk_live_1", fetch });
  expect(await shown({ session_id: "s-1", model: {} })).toBe(LINE);
  expect(JSON.parse(await shown({ session_id: "s-1", hook_event_name: "Stop" }))).toEqual({
    systemMessage: LINE,
  });
  expect(await shown({ session_id: "s/2" })).toBe("");
  expect(asked.at(-1)).toEqual(["http://server/v1/conversations/s%2F2/cost", "Bearer pk_live_1"]);
});

it("opencode shows it when a session is idle, by the address and the key of its settings", async () => {
  const toasts: unknown[] = [];
  const { asked, fetch } = server();
  const options = { baseURL: "http://server/v1", apiKey: "pk_live_1" };
  const client = {
    config: { get: async () => ({ data: { provider: { sextant: { options } } } }) },
    tui: { showToast: async (toast: unknown) => toasts.push(toast) },
  };
  const plugin = await SextantCost({ client }, fetch);
  for (const [type, sessionID] of [
    ["session.updated", "s-1"],
    ["session.idle", "s-1"],
    ["session.idle", "s-2"],
  ] as const)
    await plugin.event({ event: { type, properties: { sessionID } } });
  expect(toasts).toEqual([{ body: { message: LINE, variant: "info" } }]);
  expect(asked[0]).toEqual(["http://server/v1/conversations/s-1/cost", "Bearer pk_live_1"]);
});

it("waits some seconds at most for a server that stays silent", async () => {
  const deadlines: number[] = [];
  const deadline = (milliseconds: number) => {
    deadlines.push(milliseconds);
    return AbortSignal.abort(new Error("late"));
  };
  const silent: typeof fetch = (_url, init) => Promise.reject(init?.signal?.reason);
  const said = JSON.stringify({ session_id: "s-1" });
  const shown = shownByAgent(said, { root: "http://server", key: "", fetch: silent, deadline });
  await expect(shown).rejects.toThrow("late");
  expect(deadlines).toEqual([3_000]);
});

it("opencode shows nothing, and goes on, where its settings, the server or the message fail", async () => {
  const fails = () => Promise.reject(new Error("out of order"));
  const data = { provider: { sextant: { options: { baseURL: "http://server/v1" } } } };
  const works = { config: { get: async () => ({ data }) }, tui: { showToast: fails } };
  const event = { type: "session.idle", properties: { sessionID: "s-1" } };
  for (const [client, fetch] of [
    [{ ...works, config: { get: fails } }, server().fetch],
    [works, fails],
    [works, server().fetch],
  ] as const)
    await expect((await SextantCost({ client }, fetch)).event({ event })).resolves.toBeUndefined();
});

it.each([
  [["cost", "s-1"], `${LINE}\n`, 0],
  [["cost", "s-1", "--json"], expect.stringContaining('"cached_share": 0.62'), 0],
  [["cost", "s-2", "--url", "http://elsewhere/v1"], "", 1],
])("sextant %j", async (words, stdout, exitCode) => {
  const cli = cliRun({
    workingDirectory: folderForTest(),
    environment: { SEXTANT_BASE_URL: "http://server", SEXTANT_API_KEY: "pk_live_1" },
  });
  const { asked, fetch } = server();
  expect(await runCli(words, { ...cli.context, fetch })).toBe(exitCode);
  expect(cli.stdout()).toEqual(stdout);
  const root = exitCode === 0 ? "http://server" : "http://elsewhere";
  expect(asked).toEqual([[`${root}/v1/conversations/${words[1]}/cost`, "Bearer pk_live_1"]]);
});
