import { expect, it } from "vitest";
import { TOKENS } from "../../comparisons/planted-models.js";
import { compareThroughGateway, PRICES } from "../../comparisons/through-gateway.js";

const QUESTIONS = 60;
/** Of ten questions the last two are answered wrong by the served model. */
const served = (question: number) => question % 10 < 8;
const others = new Map([
  // Right on one of those, wrong on five of the others.
  ["planted-worse", (question: number) => question % 10 >= 5 && question % 10 !== 9],
  // Right on one of those, and wrong on one other.
  ["planted-twin", (question: number) => question % 10 !== 0 && question % 10 !== 9],
]);
const usd = ({ input_usd_per_mtok: input, output_usd_per_mtok: output }: (typeof PRICES)["judge"]) =>
  (TOKENS.prompt_tokens * input + TOKENS.completion_tokens * output) / 1e6;

it("A running gateway finds the planted loss, no other, and what both answers and the judging cost", async () => {
  const { comparisons, notBlind, verdicts } = await compareThroughGateway({
    ...{ questions: QUESTIONS, served, others },
  });
  const shown = comparisons.map(({ name, wins, ties, losses, verdict }) => ({
    ...{ name, wins, ties, losses, verdict },
  }));
  expect(shown).toEqual([
    { name: "planted-worse", wins: 6, ties: 24, losses: 30, verdict: "worse" },
    { name: "planted-twin", wins: 6, ties: 48, losses: 6, verdict: "unclear" },
  ]);
  expect([verdicts, notBlind]).toEqual([2 * QUESTIONS * others.size, []]);
  for (const {
    failed,
    same,
    passed_over: passedOver,
    served_usd: servedUsd,
    other_usd: otherUsd,
    spent,
  } of comparisons) {
    expect([failed, same, ...Object.values(passedOver)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(servedUsd).toBeCloseTo(QUESTIONS * usd(PRICES.served), 9);
    expect(otherUsd).toBeCloseTo(QUESTIONS * usd(PRICES.other), 9);
    expect(spent.answers).toBeCloseTo(otherUsd, 9);
    expect(spent.judging).toBeCloseTo(2 * QUESTIONS * usd(PRICES.judge), 9);
  }
}, 120_000);
