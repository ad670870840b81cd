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
  /** `stacked`: bars that add up to a whole. `levels`: independent lines, with gaps where nothing is known. */
  readonly shape: "stacked" | "levels";
}
