interface SegmentsProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  /** Of the group in the page. */
  readonly name: string;
  readonly values: readonly Value[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice among a few, all of them in view. */
export function Segments<Value extends string>({
  label,
  name,
  values,
  value,
  onChange,
}: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="unseen">{label}</legend>
      {values.map((option) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{option}</span>
        </label>
      ))}
    </fieldset>
  );
}
