import type { ExplanationBody } from "../../gateway/api/explanation.js";
import { call } from "./call.js";

export type { CandidateBody as Candidate, Routing } from "../../gateway/api/routing.js";
export type { ExplanationBody as Explanation };
export type Choice = ExplanationBody["choices"][number];
export type NearestPrompt = ExplanationBody["nearest"][number];

export interface Question {
  readonly prompt: string;
  readonly costWeight: number;
  readonly runnableOnly: boolean;
}

export const explain = (
  { prompt, costWeight, runnableOnly }: Question,
  signal: AbortSignal,
): Promise<ExplanationBody> =>
  call("/admin/router/explain", {
    method: "POST",
    body: {
      messages: [{ role: "user", content: prompt }],
      cost_weight: costWeight,
      runnable_only: runnableOnly,
    },
    signal,
  });
