import type { Chart, Figure } from "../report/result.js";
import { median } from "../report/statistics.js";
import { CHUNKS, type Shape } from "./load.js";

/** Measurements of one contestant in one round. */
export interface Round {
  readonly p50Ms: number;
  readonly firstContentMs: number;
  readonly requestsPerSecond: number;
  /** Of the gateway's process; 0 for the direct call. */
  readonly cpuUs: number;
}

/** One kind of load, with the rounds of every contestant. */
export interface MeasuredCase {
  /** As in ids: `json-1`. */
  readonly id: string;
  readonly name: string;
  readonly shape: Shape;
  readonly rounds: ReadonlyMap<string, readonly Round[]>;
}

/** One round of a contestant beside the direct call and the floor in the same round. */
interface Beside {
  readonly own: Round;
  readonly direct: Round;
  readonly floor: Round;
}

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly unit: Figure["unit"];
  readonly better: Figure["better"];
  readonly of: (beside: Beside) => number;
  /** Id of what it is a ratio to or a difference from, within the case. */
  readonly against?: string;
  readonly only?: "gateway" | "stream gateway" | "not floor";
}

const KINDS: readonly Kind[] = [
  { id: "p50", label: "p50", unit: "ms", better: "lower", of: ({ own }) => own.p50Ms },
  {
    ...{ id: "added", label: "added to a direct call", unit: "us", better: "lower", only: "gateway" },
    ...{ of: ({ own, direct }) => (own.p50Ms - direct.p50Ms) * 1_000, against: "direct/p50" },
  },
  {
    ...{ id: "first_content_added", label: "added to the first content", unit: "us", better: "lower" },
    ...{
      only: "stream gateway",
      of: ({ own, direct }) => (own.firstContentMs - direct.firstContentMs) * 1_000,
    },
  },
  {
    ...{ id: "per_second", label: "requests a second", unit: "per_s", better: "higher" },
    of: ({ own }) => own.requestsPerSecond,
  },
  {
    ...{
      id: "per_second_over_floor",
      label: "requests a second ÷ the floor's",
      unit: "ratio",
      better: "higher",
    },
    ...{ only: "not floor", against: "floor/per_second" },
    of: ({ own, floor }) => own.requestsPerSecond / floor.requestsPerSecond,
  },
  {
    ...{ id: "cpu", label: "processor time a request", unit: "us", better: "lower", only: "gateway" },
    of: ({ own }) => own.cpuUs,
  },
  {
    ...{ id: "cpu_over_floor", label: "processor time ÷ the floor's", unit: "ratio", better: "lower" },
    ...{ only: "not floor", against: "floor/cpu", of: ({ own, floor }) => own.cpuUs / floor.cpuUs },
  },
  {
    ...{ id: "cpu_per_chunk", label: "processor time a chunk", unit: "us", better: "lower" },
    ...{ only: "stream gateway", of: ({ own }) => own.cpuUs / CHUNKS },
  },
];

/** The design goals of the gateway. */
const GOALS: Readonly<Record<string, number>> = {
  "gateway/json-1/sextant/added": 150,
  "gateway/json-32/sextant/per_second_over_floor": 0.6,
  "gateway/burst-1/sextant/cpu_per_chunk": 8,
  "gateway/json-1/sextant/added_over_portkey": 0.2,
  "gateway/json-1/sextant/cpu_over_portkey": 0.25,
  "gateway/paced-1/sextant/cpu_over_portkey": 0.33,
};

const goalOf = (id: string): Pick<Figure, "goal"> => (GOALS[id] === undefined ? {} : { goal: GOALS[id] });

export function figuresOf(measured: MeasuredCase): Figure[] {
  const contestants = [...measured.rounds.keys()];
  return [
    ...contestants.flatMap((name) => figuresOfContestant(measured, name)),
    ...addedOverPortkey(measured),
    ...["earlier", "Portkey", "llms"].flatMap((other) => processorTimeOver(measured, other)),
  ];
}

function figuresOfContestant(
  { id: caseId, name, shape, rounds }: MeasuredCase,
  contestant: string,
): Figure[] {
  const path = `gateway/${caseId}`;
  return KINDS.filter(({ only }) => isMeant(only, { shape, contestant })).map((kind) => {
    const id = `${path}/${contestant.toLowerCase()}/${kind.id}`;
    const samples = besides(rounds, contestant).map(kind.of);
    return {
      ...{ id, label: `${name}, ${contestant}: ${kind.label}`, unit: kind.unit, better: kind.better },
      ...{ value: median(samples), samples, ...goalOf(id) },
      ...(kind.against === undefined ? {} : { against: `${path}/${kind.against}` }),
    };
  });
}

function isMeant(
  only: Kind["only"],
  { shape, contestant }: { readonly shape: Shape; readonly contestant: string },
): boolean {
  if (only?.includes("stream") && shape === "json") return false;
  if (only === "not floor" && contestant === "floor") return false;
  return only === undefined || contestant !== "direct";
}

function besides(rounds: MeasuredCase["rounds"], contestant: string): Beside[] {
  const of = (name: string) => rounds.get(name) ?? [];
  return of(contestant).map((own, round) => ({
    own,
    direct: of("direct")[round] ?? own,
    floor: of("floor")[round] ?? own,
  }));
}

function addedOverPortkey({ id: caseId, name, rounds }: MeasuredCase): Figure[] {
  const [ours, theirs, direct] = ["Sextant", "Portkey", "direct"].map((gateway) => rounds.get(gateway));
  if (!ours || !theirs || !direct) return [];
  const samples = ours.map((round, index) => {
    const base = direct[index]?.p50Ms ?? Number.NaN;
    return (round.p50Ms - base) / ((theirs[index]?.p50Ms ?? Number.NaN) - base);
  });
  const id = `gateway/${caseId}/sextant/added_over_portkey`;
  return [
    {
      ...{ id, label: `${name}: what Sextant adds ÷ what Portkey adds`, unit: "ratio", better: "lower" },
      ...{ value: median(samples), samples, against: `gateway/${caseId}/portkey/added`, ...goalOf(id) },
    },
  ];
}

function processorTimeOver({ id: caseId, name, rounds }: MeasuredCase, other: string): Figure[] {
  const [ours, theirs] = [rounds.get("Sextant"), rounds.get(other)];
  if (!ours || !theirs) return [];
  const samples = ours.map((round, index) => round.cpuUs / (theirs[index]?.cpuUs ?? Number.NaN));
  const of = other.toLowerCase();
  const id = `gateway/${caseId}/sextant/cpu_over_${of}`;
  return [
    {
      ...{ id, label: `${name}: processor time ÷ that of ${other}`, unit: "ratio", better: "lower" },
      ...{ value: median(samples), samples, against: `gateway/${caseId}/${of}/cpu`, ...goalOf(id) },
    },
  ];
}

export function chartsOf(cases: readonly MeasuredCase[]): Chart[] {
  const gateways = ["Sextant", "floor", "earlier", "Portkey", "llms"].filter((name) =>
    cases.some(({ rounds }) => rounds.has(name)),
  );
  const added = KINDS.find(({ id }) => id === "added");
  if (added === undefined) return [];
  return [
    {
      ...{ id: "gateway/added", kind: "bars", title: "Time added to a direct call, one request at a time" },
      caption: "The floor is what any proxy in Node must do.",
      ...{ x: { label: "", scale: "linear" }, y: { label: "µs added at the median", scale: "linear" } },
      series: gateways.map((gateway, index) => ({
        ...{ name: gateway, mark: "point" as const, ours: index === 0 },
        points: cases
          .filter(({ id }) => id.endsWith("-1"))
          .map(({ name, rounds }, row) => ({
            x: row,
            y: median(besides(rounds, gateway).map(added.of)),
            label: name,
          })),
      })),
    },
  ];
}
