import type { Basis } from "../api/profiles.js";

const MEANINGS: Readonly<Record<Basis, string>> = {
  measured: "Rests on graded answers",
  placed: "Rests on published scores, or on the model's maker, date and price alone, without graded answers",
  both: "Rests on graded answers and on published scores",
};

/** What a model's profile rests on. */
export function BasisPill({ basis }: { readonly basis: Basis }) {
  return (
    <span class="pill" title={MEANINGS[basis]}>
      {basis}
    </span>
  );
}
