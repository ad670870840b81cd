/**
 * What a JSON Merge Patch makes of a value (RFC 7396, https://www.rfc-editor.org/rfc/rfc7396): members of objects are merged, null
 * removes one, and everything else replaces what there was.
 */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else if (value !== undefined) result[name] = merged(result[name], value);
  }
  return result;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
