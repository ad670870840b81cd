import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const STORED = "sextant-theme";
const isTheme = (text: string | null): text is Theme => text === "light" || text === "dark";

const stored = localStorage.getItem(STORED);

/** What the user chose, and below what is shown. */
export const theme = signal<Theme>(isTheme(stored) ? stored : "system");

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = signal(darkNow());
systemIsDark.addEventListener("change", () => {
  isDark.value = darkNow();
});

export function chooseTheme(choice: Theme): void {
  theme.value = choice;
  if (choice === "system") {
    localStorage.removeItem(STORED);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(STORED, choice);
    document.documentElement.dataset.theme = choice;
  }
  isDark.value = darkNow();
}

function darkNow(): boolean {
  return theme.value === "system" ? systemIsDark.matches : theme.value === "dark";
}
