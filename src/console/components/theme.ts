import { signal } from "@preact/signals";

/** `Auto`: that of the system. */
export const THEMES = ["Auto", "Light", "Dark"] as const;
type Theme = (typeof THEMES)[number];

const STORED = "sextant-theme";
const stored = localStorage.getItem(STORED);

/** What the user chose, and below what is shown. */
export const theme = signal<Theme>(THEMES.find((name) => name.toLowerCase() === stored) ?? "Auto");

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = signal(darkNow());
systemIsDark.addEventListener("change", () => {
  isDark.value = darkNow();
});

export function chooseTheme(choice: Theme): void {
  theme.value = choice;
  if (choice === "Auto") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset.theme;
  } else {
    const name = choice.toLowerCase();
    localStorage.setItem(STORED, name);
    document.documentElement.dataset.theme = name;
  }
  isDark.value = darkNow();
}

function darkNow(): boolean {
  return theme.value === "Auto" ? systemIsDark.matches : theme.value === "Dark";
}
