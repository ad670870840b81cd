/**
 * Scores that makers announced of models newer than the collected tables: model, benchmark as the tables name it, score in [0, 1], page and
 * the day that it was read or published on.
 */
export const ANNOUNCED: readonly (readonly [
  model: string,
  benchmark: string,
  score: number,
  source: string,
  date: string,
])[] = [
  [
    "gemini-4-argon",
    "Terminal-Bench/4.0",
    0.574,
    "https://github.com/jakemanger/whatmodel/blob/main/pages/model/gemini-4-argon.md",
    "2026-11-28",
  ],
  [
    "gemini-4-argon",
    "DeepSWE/1.1",
    0.779,
    "https://github.com/jakemanger/whatmodel/blob/main/pages/model/gemini-4-argon.md",
    "2026-11-28",
  ],
  [
    "gpt-6.1-terra",
    "Terminal-Bench/4.0",
    0.503,
    "https://github.com/jakemanger/whatmodel/blob/main/pages/model/gpt-6-1-terra.md",
    "2026-11-28",
  ],
  [
    ...(["kimi-k3.1-pro", "Terminal-Bench/4.0", 0.657] as const),
    ...(["https://github.com/ikaijua/Awesome-AITools/discussions/1415", "2026-10-24"] as const),
  ],
];
