import { chooseTheme, type Theme, theme } from "./theme.js";

const CHOICES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "Auto" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

export function ThemeChoice() {
  return (
    <fieldset class="segments small">
      <legend class="unseen">Colours</legend>
      {CHOICES.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === value}
            onChange={() => chooseTheme(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
