import { useState } from "preact/hooks";
import { giveFeedback, type Trace } from "../api/traces.js";
import { messageOf, Notice } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";

interface TraceFeedbackProps {
  readonly trace: Pick<Trace, "request_id" | "feedback">;
  readonly onGiven: () => void;
}

/** What was said of the outcome, and a form to say it. */
export function TraceFeedback({ trace: { request_id: requestId, feedback }, onGiven }: TraceFeedbackProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section class="card padded stack" aria-labelledby="feedback-title">
      <h2 id="feedback-title">Feedback</h2>
      {feedback === null ? (
        <p class="muted">None was given.</p>
      ) : (
        <>
          <p>
            <strong class="number">{feedback.score}</strong> of 1, <Moment at={feedback.created_at} />
          </p>
          {feedback.comment !== null && (
            <p>
              <Plain text={feedback.comment} />
            </p>
          )}
        </>
      )}
      {isOpen ? (
        <FeedbackForm
          requestId={requestId}
          score={feedback?.score ?? 1}
          onDone={() => {
            setIsOpen(false);
            onGiven();
          }}
          onCancel={() => setIsOpen(false)}
        />
      ) : (
        <button class="button show-all" type="button" onClick={() => setIsOpen(true)}>
          {feedback === null ? "Give feedback" : "Replace feedback"}
        </button>
      )}
    </section>
  );
}

const MOST_COMMENT = 2000;

interface FeedbackFormProps {
  readonly requestId: string;
  readonly score: number;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

function FeedbackForm({ requestId, score, onDone, onCancel }: FeedbackFormProps) {
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const comment = String(form.get("comment") ?? "").trim();
    try {
      await giveFeedback({
        request_id: requestId,
        score: Number(form.get("score")),
        comment: comment === "" ? null : comment,
      });
      onDone();
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  return (
    <form class="stack tight-stack" onSubmit={submit}>
      <label class="field">
        <span>Score</span>
        <input
          class="input score"
          name="score"
          type="number"
          min="0"
          max="1"
          step="any"
          required
          defaultValue={String(score)}
        />
        <small>From 0, of no use, to 1, as good as can be.</small>
      </label>
      <label class="field">
        <span>Comment</span>
        <textarea class="input" name="comment" rows={2} maxLength={MOST_COMMENT} dir="auto" />
      </label>
      {fault !== null && <Notice kind="error">{fault}</Notice>}
      <div class="row">
        <button class="button primary" type="submit">
          Save feedback
        </button>
        <button class="button" type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
