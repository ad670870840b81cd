import type { Figure } from "../../bench/report/result.js";
import { usd } from "../ledger/faults.js";
import type { Findings } from "./audit.js";
import { budgetUsd, KEYS } from "./keys.js";
import type { Outcomes } from "./outcomes.js";
import type { Traffic } from "./traffic.js";

export interface ChaosRun {
  readonly outcomes: Outcomes;
  readonly traffic: Pick<Traffic, "started" | "kills" | "minutes">;
  readonly seconds: number;
  readonly findings: Findings;
  /** Nano-dollars that the budgets of all keys have counted, and that of the key with the small one. */
  readonly spent: { readonly all: number; readonly dollars: number };
  /** Most nano-dollars that can be reserved for one request. */
  readonly mostReserved: number;
  /** Looks, a second after each other, at which a gateway counted limits alone, Redis being slow. */
  readonly aloneSeconds: number;
}

type Line = Pick<Figure, "id" | "label" | "value"> & Partial<Figure>;

const count = (line: Line): Figure => ({ unit: "count", better: "neither", ...line, id: `chaos/${line.id}` });
/** What must not be. */
const none = (line: Line): Figure => count({ better: "lower", ...line });
const dollars = ({ value, ...line }: Line): Figure =>
  count({ unit: "usd", ...line, value: value === null ? null : usd(value) });

export function figuresOf(run: ChaosRun): Figure[] {
  return [...requestFigures(run), ...traceFigures(run), ...moneyFigures(run), ...limitFigures(run)];
}

function requestFigures({ outcomes, traffic: { started, kills }, seconds }: ChaosRun): Figure[] {
  const ended = (
    ["answered", "refused by a limit", "failed with an error of the API", "cut off by a kill"] as const
  ).map((outcome) => ({ outcome, requests: outcomes.count(outcome) }));
  const explained = ended.reduce((sum, { requests }) => sum + requests, 0);
  return [
    count({ id: "requests", label: "requests", value: started }),
    ...ended.map(({ outcome, requests }) =>
      count({
        id: `requests/${outcome.replaceAll(" ", "-")}`.toLowerCase(),
        label: `of them ${outcome}`,
        value: requests,
      }),
    ),
    none({
      id: "requests/unexplained",
      label: "of them ended in any other way",
      value: started - explained,
    }),
    count({ id: "kills", label: "kills", value: kills.length }),
    count({
      id: "kills/in-flight",
      label: "requests on connections of the killed processes",
      value: kills.reduce((sum, { inFlight }) => sum + inFlight, 0),
    }),
    count({ id: "rate", label: "requests a second", value: started / seconds, unit: "per_s" }),
  ];
}

function traceFigures({ findings }: ChaosRun): Figure[] {
  const { traces, surplusTraces, tracesOfCutOff, tracesLostToKills, oldestLostMs, tracesMissing, missingMs } =
    findings;
  return [
    count({ id: "traces", label: "traces", value: traces }),
    count({ id: "traces/cut-off", label: "of them of requests that a kill cut off", value: tracesOfCutOff }),
    none({ id: "traces/surplus", label: "of them a second one of a request", value: surplusTraces }),
    count({
      id: "traces/lost",
      label: "replies just before a kill whose trace was lost with it",
      value: tracesLostToKills,
    }),
    count({
      ...{
        id: "traces/lost/oldest",
        label: "oldest of them, before the kill",
        value: oldestLostMs,
        unit: "ms",
      },
      ...(oldestLostMs === null ? { note: "none was lost" } : {}),
    }),
    none({
      ...{ id: "traces/missing", label: "replies without a trace otherwise", value: tracesMissing },
      ...(missingMs.length === 0
        ? {}
        : {
            note: `answered before the next kill by ${missingMs.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`,
          }),
    }),
  ];
}

function moneyFigures({ findings, spent, mostReserved, outcomes }: ChaosRun): Figure[] {
  const { ledger, billedUntraced, tracesLostToKills } = findings;
  const { billed, reported, charged, estimated } = ledger.total;
  const untracedRequests = outcomes.count("cut off by a kill") + tracesLostToKills;
  const kept = spent.all - charged;
  const unexplained = Math.max(0, -kept, kept - untracedRequests * mostReserved - billedUntraced);
  return [
    dollars({ id: "billed", label: "billed for requests with a trace", value: billed }),
    dollars({ id: "reported", label: "of it reported by the upstream's replies", value: reported }),
    dollars({
      id: "estimated",
      label: "charged by estimate for replies that were cut off",
      value: estimated,
    }),
    dollars({ id: "traced", label: "in the traces", value: charged }),
    none({
      id: "traced/missing",
      label: "reported and not in the traces",
      unit: "usd",
      value: usd(ledger.reportedMissing),
    }),
    none({
      ...{ id: "traced/surplus", label: "in the traces, neither reported nor estimated", unit: "usd" },
      value: usd(ledger.chargedUnreported),
    }),
    none({
      ...{ id: "traced/difference", label: "traces − reported − estimated", unit: "usd" },
      value: usd(Math.abs(charged - reported - estimated)),
    }),
    none({
      id: "traced/unmatched",
      label: "upstream calls without an attempt or the reverse",
      value: ledger.unmatched,
    }),
    dollars({ id: "billed/untraced", label: "billed for requests without a trace", value: billedUntraced }),
    dollars({ id: "budget", label: "in the budgets", value: spent.all }),
    dollars({
      id: "budget/kept",
      label: "budgets − traces: reserved or spent by requests without a trace",
      value: kept,
    }),
    none({
      ...{ id: "budget/unexplained", label: "of it not explained by those requests", unit: "usd" },
      value: usd(unexplained),
    }),
  ];
}

function limitFigures(run: ChaosRun): Figure[] {
  const { minutes } = run.traffic;
  const { findings, spent, outcomes, aloneSeconds } = run;
  const requestLimit = KEYS.requests.limits.requests_per_minute;
  const tokenLimit = KEYS.tokens.limits.tokens_per_minute;
  const most = (values: readonly number[]) => Math.max(0, ...values);
  const early = minutes.requests.all.filter(
    ({ refused, requests, cutOff }) => refused > 0 && requests + cutOff < requestLimit,
  );
  const budget = Math.round(budgetUsd(outcomes.most) * 1e9);
  const refused = (minutes: readonly { readonly refused: number }[]) =>
    minutes.reduce((sum, minute) => sum + minute.refused, 0);
  const over = (id: string, label: string, { used, limit }: { used: readonly number[]; limit: number }) =>
    none({ id, label, value: used.reduce((sum, amount) => sum + Math.max(0, amount - limit), 0) });
  const requests = minutes.requests.all.map((minute) => minute.requests);
  const tokens = minutes.tokens.all.map((minute) => minute.tokens);
  return [
    count({
      ...{
        id: "limits/alone",
        label: "seconds in which a gateway counted limits alone",
        value: aloneSeconds,
      },
      note: "Redis took more than 100 ms: limits hold per gateway",
    }),
    count({
      ...{ id: "limits/requests", label: `most requests in a minute of the key with ${requestLimit}` },
      ...{
        value: most(requests),
        note: `${requests.length} minutes, ${refused(minutes.requests.all)} refused`,
      },
    }),
    over("limits/requests/over", "requests over that limit", { used: requests, limit: requestLimit }),
    none({
      id: "limits/requests/early",
      label: "minutes in which it refused some too early",
      value: early.length,
    }),
    count({
      ...{ id: "limits/tokens", label: `most tokens in a minute of the key with ${tokenLimit}` },
      ...{ value: most(tokens), note: `${tokens.length} minutes, ${refused(minutes.tokens.all)} refused` },
    }),
    over("limits/tokens/over", "tokens over that limit", { used: tokens, limit: tokenLimit }),
    dollars({ id: "limits/dollars", label: "budget of the key with a small one", value: budget }),
    dollars({ id: "limits/dollars/counted", label: "of it counted as spent", value: spent.dollars }),
    dollars({
      id: "limits/dollars/traced",
      label: "of it in the traces",
      value: findings.chargedToSmallBudget,
    }),
    none({
      ...{ id: "limits/dollars/over", label: "over that budget", unit: "usd" },
      value: usd(Math.max(0, Math.max(spent.dollars, findings.chargedToSmallBudget) - budget)),
    }),
  ];
}
