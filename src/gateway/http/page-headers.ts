/**
 * Headers of a page: everything comes from this server, no other page may frame it, and none that it leads to hears of it.
 *
 * @param own directives of its content security policy, beside those of all pages
 */
export const pageHeaders = (own: readonly string[]): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    ...["default-src 'none'", "script-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
    ...["base-uri 'none'", "frame-ancestors 'none'", ...own],
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
});
