/** How the four types of images that models read begin, in base64. */
const BEGINNINGS = [
  [/^iVBORw0KGg/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
  // "RIFF", four bytes of length, and "WEBP": https://github.com/promptfoo/promptfoo/issues/5169 (2025-08-04)
  [/^UklGR.{6}XRUJQ/, "image/webp"],
] as const;

/** The media type of an image by its first bytes, whatever it is said to be; undefined for any other. */
export function imageTypeOf(base64: unknown): (typeof BEGINNINGS)[number][1] | undefined {
  return typeof base64 === "string" ? BEGINNINGS.find(([begins]) => begins.test(base64))?.[1] : undefined;
}
