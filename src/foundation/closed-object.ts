import { z } from "zod";
import { nearestName } from "./nearest-name.js";

/** An object that has no other fields than these. One that is not known gets a hint at the nearest that is. */
export function closedObject<Shape extends z.core.$ZodLooseShape>(shape: Shape, error: string) {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? remedyFor(issue.keys[0] ?? "", names) : error),
  });
}

function remedyFor(key: string, names: readonly string[]): string {
  const nearest = nearestName(key.slice(0, 80), names);
  if (nearest !== undefined) return `Did you mean \`${nearest}\`?`;
  return names.length === 0 ? "Remove it." : `Known: ${names.map((name) => `\`${name}\``).join(", ")}.`;
}
