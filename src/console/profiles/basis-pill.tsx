import type { Profile } from "../api/router.js";

const MEANINGS: Readonly<Record<Profile["basis"], string>> = {
  measured: "Based on graded answers",
  placed: "Based on published scores, or on the model's maker, date and price alone, without graded answers",
  both: "Based on graded answers and on published scores",
};

/** What a model's profile rests on. */
export function BasisPill({ basis }: Pick<Profile, "basis">) {
  return (
    <span class={`pill basis ${basis}`} title={MEANINGS[basis]}>
      {basis}
    </span>
  );
}
