/** A pattern of the catalog file, in which `*` stands for any ending without a slash, for names with dashes for dots. */
export function namePattern(name: string): RegExp {
  const parts = name.toLowerCase().replaceAll(".", "-").split("*");
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[^a-z0-9-]/g, "\\$&")).join("[^/]*")}$`);
}
