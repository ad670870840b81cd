import { useState } from "preact/hooks";
import { giveFeedback, type Trace } from "../api/traces.js";
import { Button, Field } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Section } from "../components/page.js";
import { Moment, Optional } from "../components/text.js";

interface TraceFeedbackProps {
  readonly trace: Pick<Trace, "request_id" | "feedback">;
  readonly onGiven: () => void;
}

/** What was said of the outcome, and a form to say it. */
export function TraceFeedback({ trace: { request_id: requestId, feedback }, onGiven }: TraceFeedbackProps) {
  const [isOpen, setIsOpen] = useState(false);
  const give = async (form: FormData): Promise<void> => {
    const comment = String(form.get("comment") ?? "").trim();
    await giveFeedback({ request_id: requestId, score: Number(form.get("score")), comment: comment || null });
    setIsOpen(false);
    onGiven();
  };
  return (
    <Section
      title="Feedback"
      actions={
        <Button look="slim" onClick={() => setIsOpen(true)}>
          {feedback === null ? "Give feedback" : "Replace feedback"}
        </Button>
      }
    >
      {feedback === null ? (
        <p class="muted">No feedback yet.</p>
      ) : (
        <p>
          <span class="number">{feedback.score}</span> of 1, <Moment at={feedback.created_at} />:{" "}
          <Optional text={feedback.comment} none="no comment" />
        </p>
      )}
      {isOpen && (
        <FormDialog
          title="Feedback"
          action="Save feedback"
          busyAction="Saving…"
          onClose={() => setIsOpen(false)}
          onSubmit={give}
        >
          <Field
            label="Score"
            name="score"
            type="number"
            min={0}
            max={1}
            step="any"
            required
            defaultValue={feedback?.score ?? 1}
          >
            <small>From 0, of no use, to 1, as good as can be.</small>
          </Field>
          <label class="field">
            <span>Comment</span>
            <textarea class="input" name="comment" rows={2} maxLength={2000} dir="auto" />
          </label>
        </FormDialog>
      )}
    </Section>
  );
}
