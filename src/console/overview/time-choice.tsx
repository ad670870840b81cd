import { type Range, shifted } from "../charts/ranges.js";
import { Button, Form } from "../components/controls.js";
import { localInput } from "../components/format.js";

interface TimeChoiceProps {
  readonly range: Range;
  readonly startMs: number;
  /** Of the range that was shown before a part was chosen. */
  readonly backTo: string;
  readonly onChoose: (fromMs: number, toMs: number) => void;
  readonly onBack: () => void;
}

/** The chosen part of time with the ways on and back; otherwise a way to choose one without dragging. */
export function TimeChoice({ range, startMs, backTo, onChoose, onBack }: TimeChoiceProps) {
  const { endMs, lengthMs, spoken } = range;
  if (endMs === undefined) {
    return (
      <details class="small time-choice">
        <summary class="muted">Drag in a chart to zoom, or choose times</summary>
        <TimeFields fromMs={startMs} toMs={shifted(startMs, lengthMs, range)} onChoose={onChoose} />
      </details>
    );
  }
  return (
    <div class="row">
      <strong>{spoken}</strong>
      {(
        [
          ["Earlier", shifted(endMs, -2 * lengthMs, range), shifted(endMs, -lengthMs, range)],
          ["Later", endMs, shifted(endMs, lengthMs, range)],
          ["Zoom out", shifted(endMs, -2 * lengthMs, range), shifted(endMs, lengthMs, range)],
        ] as const
      ).map(([label, fromMs, toMs]) => (
        <Button key={label} look="slim" onClick={() => onChoose(fromMs, toMs)}>
          {label}
        </Button>
      ))}
      <Button look="slim primary" onClick={onBack}>
        Back to the last {backTo}
      </Button>
    </div>
  );
}

interface TimeFieldsProps extends Pick<TimeChoiceProps, "onChoose"> {
  readonly fromMs: number;
  readonly toMs: number;
}

/** In local time. */
const TimeFields = ({ fromMs, toMs, onChoose }: TimeFieldsProps) => (
  <Form
    class="row time-fields"
    onSubmit={(form) => {
      const [from = 0, to = 0] = ["from", "to"].map((name) => Date.parse(String(form.get(name))));
      if (from < to) onChoose(from, to);
    }}
  >
    {(
      [
        ["From", "from", fromMs],
        ["to", "to", toMs],
      ] as const
    ).map(([label, name, ms]) => (
      <label key={name} class="row">
        {label}
        <input
          class="input"
          type="datetime-local"
          name={name}
          required
          defaultValue={localInput(new Date(ms).toISOString())}
        />
      </label>
    ))}
    <Button look="slim" type="submit">
      Show
    </Button>
  </Form>
);
