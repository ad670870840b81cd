import { useState } from "preact/hooks";
import { giveFeedback, type Trace } from "../api/traces.js";
import { Button, Field, Form } from "../components/controls.js";
import { Section } from "../components/page.js";
import { Notice, useAction } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";

interface TraceFeedbackProps {
  readonly trace: Pick<Trace, "request_id" | "feedback">;
  readonly onGiven: () => void;
}

/** What was said of the outcome, and a form to say it. */
export function TraceFeedback({ trace: { request_id: requestId, feedback }, onGiven }: TraceFeedbackProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section title="Feedback">
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
        <Button look="show-all" onClick={() => setIsOpen(true)}>
          {feedback === null ? "Give feedback" : "Replace feedback"}
        </Button>
      )}
    </Section>
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
  const { run, fault } = useAction(async (_signal, form: FormData) => {
    const comment = String(form.get("comment") ?? "").trim();
    await giveFeedback({ request_id: requestId, score: Number(form.get("score")), comment: comment || null });
    onDone();
  });
  return (
    <Form class="stack tight-stack" onSubmit={run}>
      <Field
        label="Score"
        name="score"
        look="score"
        type="number"
        min={0}
        max={1}
        step="any"
        required
        defaultValue={score}
      >
        <small>From 0, of no use, to 1, as good as can be.</small>
      </Field>
      <label class="field">
        <span>Comment</span>
        <textarea class="input" name="comment" rows={2} maxLength={MOST_COMMENT} dir="auto" />
      </label>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      <div class="row">
        <Button look="primary" type="submit">
          Save feedback
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </Form>
  );
}
