import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";

/** Drawn by hand on a grid of 20, lines only, so that they take the colour of the text beside them. */
const PATHS = {
  overview: "M3 16h14M5.5 13V9.5M10 13V5M14.5 13V8",
  value: "M3.5 14.5l4-4.5 3 3 6-7M12.5 6h4v4",
  traces: "M4 5h12M4 10h8M4 15h10M15 12.5l2 2m-.6-3.4a2.2 2.2 0 1 1-3.1-3.1 2.2 2.2 0 0 1 3.1 3.1Z",
  failures: "M10 4l7 12H3L10 4ZM10 8.5v3.5M10 14h.1",
  alerts:
    "M10 3.5a4 4 0 0 0-4 4c0 4-1.8 5.5-1.8 5.5h11.6S14 11.5 14 7.5a4 4 0 0 0-4-4ZM8.5 15.5a1.6 1.6 0 0 0 3 0",
  router: "M4 10h4l4-5h4M8 10l4 5h4M14 3l2 2-2 2M14 13l2 2-2 2",
  profiles: "M10 3.5l5.6 3.2v6.6L10 16.5l-5.6-3.2V6.7L10 3.5ZM10 10l5.4-3.2M10 10v6.3M10 10L4.6 6.8",
  keys: "M8.2 11.8a3.6 3.6 0 1 1 0-5.1 3.6 3.6 0 0 1 0 5.1ZM8.4 9.2H17M14.5 9.2v2.6M17 9.2v2",
  providers: "M4 4.5h12v4H4zM4 11.5h12v4H4zM6.8 6.5h.1M6.8 13.5h.1",
  docs: "M5 3.5h7.5l2.5 2.5v10.5H5ZM8 9h4.5M8 12.5h4.5",
  start: "M7 4.5v11l8.5-5.5L7 4.5Z",
  menu: "M3.5 5.5h13M3.5 10h13M3.5 14.5h13",
  close: "M5.5 5.5l9 9M14.5 5.5l-9 9",
  copy: "M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3",
  check: "M4.5 10.5l3.5 3.5 7.5-8",
  plus: "M10 4.5v11M4.5 10h11",
  search: "M8.8 13.6a4.8 4.8 0 1 1 0-9.6 4.8 4.8 0 0 1 0 9.6ZM12.3 12.3l4 4",
  back: "M11.5 5L6.5 10l5 5",
  more: "M4.5 10h.1M10 10h.1M15.5 10h.1",
} as const;

export type IconName = keyof typeof PATHS;

/** Always beside words, or in a button that has a label: it says nothing to a screen reader. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface ButtonProps extends Omit<JSX.ButtonHTMLAttributes, "class" | "look"> {
  /** Of the classes of `styles/controls.css`: `slim`, `primary`, `quiet`, `danger` and others. */
  readonly look?: string;
}

export const Button = ({ look = "", type = "button", ...attributes }: ButtonProps) => (
  <button class={`button ${look}`} type={type} {...attributes} />
);

interface FormProps {
  readonly class: string;
  readonly onSubmit: (form: FormData) => void;
  readonly onFocusIn?: () => void;
  readonly children: ComponentChildren;
}

export const Form = ({ onSubmit, ...attributes }: FormProps) => (
  <form
    {...attributes}
    onSubmit={(event) => {
      event.preventDefault();
      // With the value of the button that was pressed.
      onSubmit(new FormData(event.currentTarget, event.submitter));
    }}
  />
);

interface FieldProps extends Omit<JSX.InputHTMLAttributes, "class" | "label"> {
  readonly label: string;
  readonly look?: string;
  readonly fieldLook?: string;
  /** Below the input. */
  readonly children?: ComponentChildren;
}

/** An input under its name. */
export const Field = ({ label, look = "", fieldLook = "", children, ...input }: FieldProps) => (
  <label class={`field ${fieldLook}`}>
    <span>{label}</span>
    <input class={`input ${look}`} {...input} />
    {children}
  </label>
);

interface SuggestionsProps {
  /** The `list` of the fields. */
  readonly id: string;
  readonly values: readonly (string | null)[];
}

/** What fields suggest, each once, by name; anything else can be written, too. */
export const Suggestions = ({ id, values }: SuggestionsProps) => (
  <datalist id={id}>
    {[...new Set(values)].sort().map((value) => value !== null && <option key={value} value={value} />)}
  </datalist>
);

interface SelectProps {
  readonly label: string;
  /** `unseen`: for screen readers only. */
  readonly labelLook?: "muted" | "unseen";
  readonly look?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice among many, beside its name. */
export const Select = ({ label, labelLook = "muted", look = "", options, value, onChange }: SelectProps) => (
  <label class="row small">
    <span class={labelLook}>{label}</span>
    <select class={`input ${look}`} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
}

const SHOWN_MS = 2000;

/** Left out where the browser gives no access to the clipboard, as over plain HTTP: the text can be selected. */
export function CopyButton({ text, label = "Copy" }: CopyButtonProps) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  if (navigator.clipboard === undefined) return null;
  return (
    <button
      class="button slim"
      type="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}
    >
      <Icon name={done ? "check" : "copy"} />
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </button>
  );
}

interface SegmentsProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly look?: string;
  readonly values: readonly Value[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice among a few, all of them in view. */
export function Segments<Value extends string>({
  label,
  look = "",
  values,
  value,
  onChange,
}: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset class={`segments ${look}`}>
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
