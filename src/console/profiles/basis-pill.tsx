import type { Profile } from "../api/router.js";

const MEANINGS: Readonly<Record<Profile["basis"], readonly [word: string, meaning: string]>> = {
  measured: ["measured", "Based on graded answers"],
  placed: [
    "estimated",
    "Based on published scores, or on the model's maker, date and price alone, without graded answers",
  ],
  both: ["both", "Based on graded answers and on published scores"],
};

/** What a model's profile rests on. */
export function BasisPill({ basis }: Pick<Profile, "basis">) {
  const [word, meaning] = MEANINGS[basis];
  return <span title={meaning}>{word}</span>;
}
