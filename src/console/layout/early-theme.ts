// Runs before anything is painted, so that nobody who chose the dark sees a flash of the light.
{
  const theme = localStorage.getItem("sextant-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
