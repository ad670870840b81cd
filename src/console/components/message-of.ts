/** What to tell a person of a fault. */
export const messageOf = (fault: unknown): string =>
  fault instanceof Error ? fault.message : "Something went wrong. Reload the page.";
