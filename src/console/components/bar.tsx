import { percent } from "./format.js";

interface BarProps {
  /** 0 to 1. */
  readonly share: number;
  /** Standard error; shown as a line around the end. */
  readonly error?: number;
  /** What to compare with, 0 to 1; shown as a mark. */
  readonly mark?: number | undefined;
  /** Of the use of a limit: near it, or all used. */
  readonly look?: "plain" | "near" | "full";
}

/** A share as a length. The figure stands beside it, so that it says nothing to a screen reader. */
export function Bar({ share, error, mark, look = "plain" }: BarProps) {
  return (
    <svg
      class="bar"
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      width="120"
      height="10"
      aria-hidden="true"
    >
      <rect class="bar-back" width="100" height="10" rx="2" />
      <rect class={`bar-fill ${look}`} width={share * 100} height="10" rx="2" />
      {error !== undefined && (
        <rect
          class="bar-error"
          x={Math.max(0, share - error) * 100}
          width={(Math.min(1, share + error) - Math.max(0, share - error)) * 100}
          y="4"
          height="2"
        />
      )}
      {mark !== undefined && <rect class="bar-mark" x={mark * 100 - 0.8} width="1.6" height="10" />}
    </svg>
  );
}

interface QualityCellProps {
  /** Of an expected quality, 0 to 1, and its standard error. */
  readonly quality: number;
  readonly error: number;
}

/** An expected quality as a length and in figures. */
export const QualityCell = ({ quality, error }: QualityCellProps) => (
  <span class="bar-cell">
    <Bar share={quality} error={error} />
    <span class="number">
      {percent(quality)} <span class="muted">± {percent(error)}</span>
    </span>
  </span>
);
