// Runs before anything is painted, so that the chosen dark theme does not flash light first.
{
  const theme = localStorage.getItem("sextant-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
