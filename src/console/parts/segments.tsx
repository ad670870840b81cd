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
      {values.map((each) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChange(each)} />
          <span>{each}</span>
        </label>
      ))}
    </fieldset>
  );
}
