import { type FactorPosterior, type FactorTest, RANK } from "../ability-factors.js";

/**
 * Expected result of a model with these factors on a test, on the log-odds scale, and its variance.
 *
 * @param about factors of the average model, `[RANK]`: the variance is then that of the difference to it, which
 * excludes the uncertainty of the test's intercept. That affects all models alike and is part of the prompts' ease.
 */
export function expectedOn(
  test: FactorTest,
  { mean, covariance }: FactorPosterior,
  { about }: { readonly about?: Float64Array | undefined } = {},
): { readonly value: number; readonly variance: number } {
  const size = RANK + 1;
  const intercept = about === undefined ? 1 : 0;
  const x = (index: number) =>
    index === 0 ? intercept : (mean[index - 1] as number) - (about?.[index - 1] ?? 0);
  let value = test.intercept;
  let variance = test.residualVariance;
  for (let j = 0; j < RANK; j++) {
    value += (test.loading[j] as number) * (mean[j] as number);
    for (let k = 0; k < RANK; k++) {
      const ofTest = test.covariance[(j + 1) * size + k + 1] as number;
      const both = (test.loading[j] as number) * (test.loading[k] as number) + ofTest;
      variance += both * (covariance[j * RANK + k] as number);
    }
  }
  for (let a = 0; a < size; a++)
    for (let b = 0; b < size; b++) variance += x(a) * (test.covariance[a * size + b] as number) * x(b);
  return { value, variance };
}
