import type { SavingsBody } from "../../gateway/api/traces/savings.js";

/** Of the part of the page that has the details. */
export const SAVINGS_ID = "savings";

type Against = SavingsBody["models"][number];

/** A model is as good as what was decided where its expected quality is at most so much lower (a guess). */
const EQUAL_QUALITY = 0.005;

/** The cheapest of the models that are as good as what was decided: what routing has to be better than. */
export const cheapestEqual = ({ models }: Pick<SavingsBody, "models">): Against | undefined =>
  models
    .filter(({ quality, decided_quality: decided }) => quality >= decided - EQUAL_QUALITY)
    .toSorted((left, right) => left.saved_usd.value - right.saved_usd.value)[0];
