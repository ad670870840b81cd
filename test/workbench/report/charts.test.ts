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
import { all, ofClass, textOf } from "./drawn.js";

it.each<[string, (value: number) => string, Readonly<Record<string, string>>]>([
  [
    "dollars",
    usd,
    { 0: "$0", 100: "$100", 131.82: "$132", 1.5: "$1.50", 0.1: "$0.10", 0.00000258: "$0.00000258" },
  ],
  ["a small share apart from none", percentAbove0, { 0: "0%", 0.002: "<1%", 0.4: "40%" }],
  ["percent with a minus sign", percent, { [-0.08]: "−8%", [-0.001]: "0%", 0.58: "58%" }],
  ["points", points, { [-0.29]: "−29.00", [-0.00001]: "0.00", 0: "0.00", 0.1: "+10.00" }],
  [
    "whether something costs more",
    costChange,
    { [-0.08]: "8% more", [-0.001]: "the same", 0.58: "58% less", 0.997: "over 99% less" },
  ],
  [
    "one thing and several",
    (value) => counted(value, "prompt"),
    { 0: "0 prompts", 1: "1 prompt", 1200: "1,200 prompts" },
  ],
])("The figures of a report write %s", (_, write, examples) => {
  for (const [value, written] of Object.entries(examples)) expect(write(Number(value))).toBe(written);
});

describe("The chart of cost and quality", () => {
  const sweep = [0, 0.5, 1].map((weight) => ({
    cost_weight: weight,
    quality: 0.9 - 0.3 * weight,
    cost_usd: 0.1 * 10 ** (-4 * weight),
  }));
  const singles = [
    { model: "best", quality: 0.8, cost_usd: 0.02 },
    { model: "hopeless", quality: 0.1, cost_usd: 0.01 },
  ];
  const chart = frontierChart({ sweep, singles, recommended: [0, 0, 0.5], knee: 0.5, tuned: 1 });
  const plain = { singles: [], recommended: [], knee: null, tuned: null };
  const elements = all(all(chart).find(({ tag }) => tag === "svg") as Element);

  it("marks a recommended cost weight once, with its weight beside it, off the line", () => {
    expect(ofClass(elements, /chosen/).map(textOf)).toEqual([
      "recommended: cost weight 0: quality 0.900, $0.10 a prompt",
      "recommended, knee: cost weight 0.5: quality 0.750, $0.001 a prompt",
    ]);
    expect(elements.filter(({ tag }) => tag === "text").map(textOf)).toEqual(
      expect.arrayContaining(["0", "knee 0.5", "best"]),
    );
    // Right of its mark, and left of it, the label would be on the line.
    const first = elements.find((part) => part.tag === "text" && textOf(part) === "0");
    expect(first?.attributes["text-anchor"]).toBe("middle");
  });

  it("marks the knee with a diamond, and the weight that is saved in the set with a ring", () => {
    expect(ofClass(elements, /knee/).map(({ tag }) => tag)).toEqual(["path"]);
    expect(ofClass(elements, /^tuned$/).map(textOf)).toEqual([
      "tuned: cost weight 1: quality 0.600, $0.00001 a prompt",
    ]);
    expect(textOf(chart)).toContain("the diamond is the knee");
  });

  it.each([1.5, 40, 1e5])("has no two labels of an axis upon each other over a factor of %d", (factor) => {
    const costs = sweep.map((step) => ({ ...step, cost_usd: 0.01 * factor ** -step.cost_weight }));
    const columns = all(frontierChart({ ...plain, sweep: costs })).filter(({ tag }) => tag === "svg");
    expect(columns).toHaveLength(2);
    for (const svg of columns) {
      const marks = all(svg).filter((part) => part.tag === "text" && textOf(part).startsWith("$"));
      const ends = marks
        .map((mark) => [Number(mark.attributes.x), textOf(mark).length * 3.3] as const)
        .sort(([one], [other]) => one - other)
        .flatMap(([middle, half]) => [middle - half, middle + half]);
      expect(ends.length).toBeGreaterThan(2);
      expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    }
  });

  it("says how many models are too far below to be drawn", () => {
    expect(textOf(chart)).toContain("1 model is further below and not drawn.");
    expect(textOf(chart)).not.toContain("hopeless");
  });

  it("draws the hull of single models as a dashed line, and says where the router is below it", () => {
    const models = [
      { model: "cheap", quality: 0.6, cost_usd: 0.001 },
      { model: "middle", quality: 0.61, cost_usd: 0.005 },
      { model: "best", quality: 0.8, cost_usd: 0.011 },
    ];
    // At $.006 a mixture of the cheapest and the best reaches .7.
    const [below, above] = [0.685, 0.75].map((atHalf) =>
      frontierChart({
        ...plain,
        singles: models,
        sweep: [0.8, atHalf, 0.6].map((quality, step) => ({
          cost_weight: step / 2,
          quality,
          cost_usd: 0.011 - step * 0.005,
        })),
      }),
    ) as [Element, Element];
    expect(ofClass(all(below), /^ideal$/)).not.toEqual([]);
    expect(textOf(below)).toContain("The router is below that at cost weight 0.5, by up to 1.5 points.");
    expect(textOf(above)).toContain("The router is nowhere below that.");
  });
});

describe("The map of the anchors", () => {
  const map = [0.1, 0.5, 0.9].map((x, at) => ({
    x,
    y: 0.5,
    topic: at % 2,
    chosen: 1,
    best: [{ model: 1, quality: 0.8, stderr: 0.05 }],
    near: [{ topic: 0, share: 1 }],
  }));

  it("begins with the anchor in the middle, and follows the pointer and the arrow keys", () => {
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
      points: map,
      onSelect: (index) => selected.push(index),
    });
    expect(selected).toEqual([1]);
    expect(ring).toEqual({ cx: "50", cy: "50", visibility: "visible" });
    listeners.get("pointermove")?.({ clientX: 210, clientY: 120 });
    for (const key of ["ArrowLeft", "ArrowDown", "Home"])
      listeners.get("keydown")?.({ key, preventDefault: () => {} });
    expect(selected).toEqual([1, 2, 1]);
  });

  it("shows of an anchor what is expected there", () => {
    const data = { models: ["small", "large"], topics: ["sums", "code"], map };
    expect(pointDetails(data, 1).map(textOf)).toEqual([
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
