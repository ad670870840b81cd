/** A pattern of the catalog file as a regular expression: `*` matches any characters but a slash. Names are compared with dashes for dots. */
export function namePattern(name: string): RegExp {
  const parts = name.toLowerCase().replaceAll(".", "-").split("*");
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[^a-z0-9-]/g, "\\$&")).join("[^/]*")}$`);
}
