import { isIP } from "node:net";
import { z } from "zod";
import { field, listFromText, milliseconds, switchField, whole } from "../settings/field.js";

/** `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
function isAddressRange(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Bodies are read as one text: V8 holds at most 536,870,888 characters in one. */
const LONGEST_TEXT = 536_870_888;

const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** What the HTTP server is and takes on. */
export const serverSettings = {
  host: field(
    z.string().min(1).default("127.0.0.1"),
    "Address to listen on; `0.0.0.0` listens on every interface.",
    { expects: "an IP address or host name, such as 127.0.0.1" },
  ),
  port: whole(
    { from: 0, to: 65_535, usual: 8080 },
    "Port to listen on; 0 picks a free one, named in the line `sextant listening on …`.",
  ),
  dataDir: field(
    z.string().min(1).default("./data"),
    "Folder for API keys, spending, traces, learned answer lengths and downloaded models; nothing lasting is written " +
      "elsewhere. A relative path starts at the working directory.",
    { expects: "a folder path" },
  ),
  watchMs: whole(
    { from: 0, to: 3_600_000, usual: 2000 },
    "Milliseconds between checks of the settings file, `.env` and the profile sets. Profile sets, providers, deployments, " +
      "prices, fallbacks, presets, rules for agents, the baseline and provider keys that changed, and are unchanged at the next check, apply at " +
      "once; unusable ones are logged, and the old ones stay. Other settings apply at the next start. 0: only SIGHUP and " +
      "`POST /admin/reload`.",
  ),
  allowedHosts: field(
    listFromText(z.string().min(1)).optional(),
    "Further host names (without port, separated by commas) for requests to a server whose `auth` is `off`. Default: " +
      "loopback names and addresses only, because other sites can make their names resolve to those.",
    { expects: "host names such as gateway.internal, separated by commas" },
  ),
  corsOrigins: field(
    listFromText(z.string().regex(/^(?:\*|https?:\/\/[^/\s]+)$/)).optional(),
    "Origins whose pages may call `/v1` from a browser, separated by commas; `*` for all. Everyone who opens such a page " +
      "can read its key. Default: none.",
    { expects: "origins such as https://app.example.com, separated by commas, or *" },
  ),
  trustedProxies: field(
    listFromText(z.string().refine(isAddressRange)).optional(),
    "Addresses of proxies in front of the server, or ranges such as `10.0.0.0/8`, separated by commas. Refused sign-ins " +
      "then count for the address in `X-Forwarded-For` (for IPv6, its /64 network). Default: none; the header is ignored.",
    { expects: "addresses or ranges such as 10.0.0.0/8, separated by commas" },
  ),
  maxBodyBytes: whole(
    { from: 1024, to: LONGEST_TEXT, usual: 33_554_432 },
    "Largest request body in bytes, decompressed; larger ones get 413. Reading 32 MiB takes some hundred milliseconds, in " +
      "which nothing else is answered.",
  ),
  maxMessages: whole(
    { from: 1, to: 1_000_000, usual: 2048 },
    "Maximum number of messages in one request; more get 400.",
  ),
  maxRequestsInFlight: whole(
    { from: 1, to: 1_000_000, usual: 4096 },
    "Maximum number of requests that wait for providers at a time, and as many others, such as decisions; further ones get 503 " +
      "`overloaded`.",
  ),
  maxQueueMs: milliseconds(
    1000,
    "Longest time that requests of a burst may wait to be read, in milliseconds; a fifth of it under sustained overload. " +
      "Later ones get 503 `overloaded` before they are authenticated.",
  ),
  shutdownGraceMs: whole(
    { from: 0, to: 3_600_000, usual: 10_000 },
    "How long a stopping server waits for requests in flight, in milliseconds. Longer ones end with the error `overloaded` " +
      "and leave a trace of what was generated.",
  ),
  logLevel: field(
    z.enum(LOG_LEVELS).default("info"),
    "Least severe log lines, on standard error: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`. `info` " +
      "includes failed requests and upstream calls, `debug` all of them, each with its request id. Prompts and keys are never " +
      "logged.",
    { expects: `one of ${LOG_LEVELS.join(", ")}` },
  ),
  metricsKeyNames: switchField(
    { usual: false },
    "Whether `/metrics`, which needs no credentials, shows names of API keys beside their ids.",
  ),
};
