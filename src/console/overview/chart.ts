/** What a chart shows. */

export interface Line {
  readonly label: string;
  /** Of the tokens `--series-…`. */
  readonly colour: 1 | 2 | 3 | 4 | 5 | 6;
  /** At each step; null: nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  /** Seconds since the epoch. */
  readonly steps: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  /** Whether the lines are parts of a whole, which stand on each other, or levels, which stand side by side. */
  readonly shape: "parts" | "levels";
}
