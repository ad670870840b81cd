import type { Trace } from "../api/traces.js";
import { Moment } from "../components/moment.js";
import { Plain } from "../components/plain.js";

interface TraceFeedbackProps {
  readonly feedback: NonNullable<Trace["feedback"]>;
}

/** What the client said of the outcome. */
export function TraceFeedback({ feedback: { score, comment, created_at: at } }: TraceFeedbackProps) {
  return (
    <section class="card padded stack" aria-labelledby="feedback-title">
      <h2 id="feedback-title">Feedback</h2>
      <p>
        <strong class="number">{score}</strong> of 1, <Moment at={at} />
      </p>
      {comment !== null && (
        <p>
          <Plain text={comment} />
        </p>
      )}
    </section>
  );
}
