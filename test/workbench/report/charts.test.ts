/** What the charts of a report draw, for the page of `profile report` and for the console alike. */
import { describe, expect, it } from "vitest";
import { frontierChart } from "../../../src/workbench/report/charts.js";
import type { Element } from "../../../src/workbench/report/element.js";
import {
  costChange,
  counted,
  percent,
  percentAbove0,
  points,
  usd,
} from "../../../src/workbench/report/figures.js";
import { pointDetails, selectOnMap } from "../../../src/workbench/report/map-selection.js";
import { SCRIPT } from "../../../src/workbench/report/page/page.js";
import { strengthsSection } from "../../../src/workbench/report/strengths-section.js";

const all = ({ content, ...found }: Element): Element[] => [
  { content, ...found },
  ...content.flatMap((part) => (typeof part === "string" ? [] : all(part))),
];
const textOf = ({ content }: Element): string =>
  content.map((part) => (typeof part === "string" ? part : textOf(part))).join("");

describe("Figures of a report", () => {
  it.each([
    [0, "$0"],
    [100, "$100"],
    [131.82, "$132"],
    [1.5, "$1.5"],
    [0.000_002_58, "$0.00000258"],
  ])("write %s dollars as %s", (value, written) => expect(usd(value)).toBe(written));

  it("tell a small share from none", () =>
    expect([0, 0.002, 0.4].map(percentAbove0)).toEqual(["0%", "<1%", "40%"]));

  it("have a minus sign, and none at nothing", () => {
    expect([-0.08, -0.001, 0.58].map(percent)).toEqual(["−8%", "0%", "58%"]);
    expect([-0.29, -0.000_01, 0, 0.1].map(points)).toEqual(["−29.00", "0.00", "0.00", "+10.00"]);
  });

  it("say whether something costs more or less", () =>
    expect([-0.08, -0.001, 0.58, 0.997].map(costChange)).toEqual([
      "8% more",
      "the same",
      "58% less",
      "over 99% less",
    ]));

  it("count one thing and several", () =>
    expect([0, 1, 1200].map((value) => counted(value, "prompt"))).toEqual([
      "0 prompts",
      "1 prompt",
      "1,200 prompts",
    ]));
});

describe("The chart of cost and quality", () => {
  const sweep = [0, 0.5, 1].map((weight) => ({
    cost_weight: weight,
    quality: 0.9 - 0.3 * weight,
    cost_usd: 0.1 * 10 ** (-4 * weight),
  }));
  const data = {
    sweep,
    singles: [
      { model: "best", quality: 0.8, cost_usd: 0.02 },
      { model: "hopeless", quality: 0.1, cost_usd: 0.01 },
    ],
    recommended: [0, 0, 0.5],
    knee: 0.5,
    tuned: 1,
  };
  const chart = frontierChart(data);
  const [wide, narrow] = all(chart).filter(({ tag }) => tag === "svg") as [Element, Element];
  const elements = all(wide);

  it("marks a recommended cost weight once, with its weight beside it", () => {
    const marked = elements.filter(({ attributes }) => /chosen/.test(String(attributes.class)));
    expect(marked.map(textOf)).toEqual([
      "recommended: cost weight 0: quality 0.900, $0.1 a prompt",
      "recommended, knee: cost weight 0.5: quality 0.750, $0.001 a prompt",
    ]);
    expect(elements.filter(({ tag }) => tag === "text").map(textOf)).toEqual(
      expect.arrayContaining(["0", "knee 0.5", "best"]),
    );
  });

  it("marks the knee with a diamond, and the weight that is saved in the set with a ring", () => {
    const knee = elements.filter(({ attributes }) => /knee/.test(String(attributes.class)));
    expect(knee.map(({ tag }) => tag)).toEqual(["path"]);
    const tuned = elements.filter(({ attributes }) => attributes.class === "tuned");
    expect(tuned.map(textOf)).toEqual(["tuned: cost weight 1: quality 0.600, $0.00001 a prompt"]);
    expect(textOf(chart)).toContain("the diamond is the knee");
    expect(textOf(chart)).toContain("the ring is the cost weight that profile tune saved in the set");
  });

  it.each([
    ["wide", wide],
    ["narrow", narrow],
  ])("has no two labels of an axis upon each other in a %s column", (_, svg) => {
    for (const factor of [1.5, 8, 40, 300, 1e5]) {
      const costs = sweep.map((step) => ({ ...step, cost_usd: 0.01 * factor ** -step.cost_weight }));
      const drawn = all(
        frontierChart({ sweep: costs, singles: [], recommended: [], knee: null, tuned: null }),
      );
      const same = drawn.find(({ attributes }) => attributes.class === svg.attributes.class) as Element;
      const marks = all(same).filter(
        ({ tag, ...part }) => tag === "text" && /^\$/.test(textOf({ tag, ...part })),
      );
      const extents = marks
        .map((mark) => ({ middle: Number(mark.attributes.x), half: (textOf(mark).length * 6.6) / 2 }))
        .sort((a, b) => a.middle - b.middle);
      expect(extents.length, `a factor of ${factor}`).toBeGreaterThan(1);
      extents.slice(1).forEach(({ middle, half }, at) => {
        const before = extents[at] as { middle: number; half: number };
        expect(middle - half).toBeGreaterThan(before.middle + before.half);
      });
    }
  });

  it("spreads costs that differ by a factor of thousands over its width", () => {
    const places = all(frontierChart({ ...data, knee: null }))
      .slice(0, elements.length)
      .filter(({ attributes }) => ["point", "chosen"].includes(String(attributes.class)))
      .map(({ attributes }) => Number(attributes.cx));
    expect(places).toHaveLength(3);
    const [right, middle, left] = places as [number, number, number];
    expect(right - middle).toBeCloseTo(middle - left, 0);
  });

  it("says how many models are too far below to be drawn", () => {
    expect(textOf(chart)).toContain("1 model is further below and not drawn.");
    expect(textOf(chart)).not.toContain("hopeless");
  });
});

describe("The strengths by topic", () => {
  const cell = { quality: 0.5, stderr: 0.1, samples: 1 };
  const sectionOf = (count: number, topic = "sums") =>
    strengthsSection({
      models: Array.from({ length: count }, (_, at) => ({
        ...{ model: `model-${at}`, basis: "measured" as const, expected_quality: 0.5 },
        ...{ quality_stderr: 0.1, samples: 1, chosen: 0 },
      })),
      strengths: [{ topic, anchors: 1, models: Array.from({ length: count }, () => cell) }],
      topics: [topic],
      clusters: [],
    });
  const drawn = (count: number) => textOf(sectionOf(count));

  it("say that cards show the best models only where there are more", () => {
    expect(drawn(6)).not.toContain("Each topic shows its best");
    expect(drawn(7)).toContain("Each topic shows its best 6 models.");
  });

  it("count one anchor", () => expect(drawn(2)).toContain("sums 1 anchor"));

  it("break the name of a topic after slashes and underscores, not within words", () => {
    const parts = all(sectionOf(2, "mmlu/professional_law")).filter(
      ({ attributes }) => attributes.class === "unbroken",
    );
    expect(parts.map(textOf)).toEqual(["mmlu/", "professional_", "law"]);
  });
});

describe("The map of the anchors", () => {
  const data = {
    models: ["small", "large"],
    topics: ["sums", "code"],
    map: [0.1, 0.5, 0.9].map((x, at) => ({
      ...{ x, y: 0.5, topic: at % 2, chosen: 1 },
      best: [{ model: 1, quality: 0.8, stderr: 0.05 }],
      near: [{ topic: 0, share: 1 }],
    })),
  };

  function drawn() {
    const listeners = new Map<string, (event: object) => void>();
    const selected: number[] = [];
    const ring: Record<string, string> = {};
    selectOnMap({
      svg: {
        viewBox: { baseVal: { x: -10, y: -10, width: 120, height: 120 } },
        getBoundingClientRect: () => ({ left: 0, top: 0, width: 240, height: 240 }),
        addEventListener: (type, listen) => listeners.set(type, listen as (event: object) => void),
      },
      ring: { setAttribute: (name, value) => Object.assign(ring, { [name]: value }) },
      points: data.map,
      onSelect: (index) => selected.push(index),
    });
    return { listeners, selected, ring };
  }

  it("begins with the anchor in the middle, and follows the pointer and the arrow keys", () => {
    const { listeners, selected, ring } = drawn();
    expect(selected).toEqual([1]);
    expect(ring).toEqual({ cx: "50", cy: "50", visibility: "visible" });
    listeners.get("pointermove")?.({ clientX: 210, clientY: 120 });
    listeners.get("keydown")?.({ key: "ArrowLeft", preventDefault: () => {} });
    listeners.get("keydown")?.({ key: "ArrowDown", preventDefault: () => {} });
    listeners.get("keydown")?.({ key: "Home", preventDefault: () => {} });
    expect(selected).toEqual([1, 2, 1]);
  });

  it("shows of an anchor what is expected there", () => {
    const shown = pointDetails(data, 1).map(textOf);
    expect(shown).toEqual([
      "code",
      "Would answer: large",
      "modelexpected qualitylarge0.800 ± 0.050",
      "Nearest anchors: 100% sums",
    ]);
    expect(pointDetails(data, 7)).toEqual([]);
  });

  it("has a script that needs nothing but the page", () => {
    // What the compiler refers to in a module would be missing in the page.
    expect(SCRIPT).not.toMatch(/__vite|__name|import/);
    expect(() => new Function(SCRIPT)).not.toThrow();
  });
});

describe("The hull of single models", () => {
  const singles = [
    { model: "cheap", quality: 0.6, cost_usd: 0.001 },
    { model: "middle", quality: 0.61, cost_usd: 0.005 },
    { model: "best", quality: 0.8, cost_usd: 0.011 },
  ];
  const chartOf = (qualities: readonly number[]) =>
    frontierChart({
      sweep: qualities.map((reached, step) => ({
        ...{ cost_weight: step / 2, quality: reached, cost_usd: 0.011 - step * 0.005 },
      })),
      ...{ singles, recommended: [], knee: null, tuned: null },
    });

  it("is drawn as a dashed line, and named where the router is below it", () => {
    // At $.006 a mixture of the cheapest and the best reaches .7.
    const chart = chartOf([0.8, 0.685, 0.6]);
    expect(all(chart).filter(({ attributes }) => attributes.class === "ideal")).not.toEqual([]);
    expect(textOf(chart)).toContain("The router is below that at cost weight 0.5, by up to 1.5 points.");
    expect(textOf(chartOf([0.8, 0.75, 0.6]))).toContain("The router is nowhere below that.");
  });
});
