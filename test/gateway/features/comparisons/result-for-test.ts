/** A judged comparison that the served answer won. */
export const RESULT = {
  at: 0,
  comparison: "cheaper",
  with: "auto:0.5",
  request_id: "req_1",
  outcome: "judged",
  served: "large",
  other: "small",
  difference: -1,
  served_usd: 0.02,
  other_usd: 0.01,
  answer_spent_usd: 0.01,
  judge_spent_usd: 0.03,
} as const;
