import { isIP } from "node:net";
import { z } from "zod";
import { field, listFromText, milliseconds, switchField, whole } from "../field.js";

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
    "Address to listen on. `0.0.0.0` for every interface of the machine.",
    { expects: "an IP address or host name, such as 127.0.0.1" },
  ),
  port: whole(
    { from: 0, to: 65_535, usual: 8080 },
    "Port to listen on. 0 picks any free one; the line `sextant listening on …` says which.",
  ),
  dataDir: field(
    z.string().min(1).default("./data"),
    "Folder for API keys, spending, traces, learned lengths of answers and downloaded models. Nothing lasting is written elsewhere; a missing search " +
      "index is rebuilt in the system's temporary folder. A relative path starts at the working directory.",
    { expects: "a folder path" },
  ),
  watchMs: whole(
    { from: 0, to: 3_600_000, usual: 2000 },
    "Milliseconds between two looks at the settings file, `.env` and the files of the profile sets. Profile sets, providers, deployments, prices, " +
      "fallbacks, presets, the baseline and the keys of providers that have changed, and are the same at the next look, are used from then on; " +
      "what cannot be used is reported in the log, and what is in use stays. Other settings count from the next start on. " +
      "0: changes are taken on SIGHUP and `POST /admin/reload` only.",
  ),
  allowedHosts: field(
    listFromText(z.string().min(1)).optional(),
    "Further host names by which requests may address a server whose `auth` is `off`, without a port, separated by commas. " +
      "Default: only loopback names and addresses, for other sites can have their names resolve to those.",
    { expects: "host names such as gateway.internal, separated by commas" },
  ),
  corsOrigins: field(
    listFromText(z.string().regex(/^(?:\*|https?:\/\/[^/\s]+)$/)).optional(),
    "Origins whose pages may call `/v1` from a browser, separated by commas; `*` for all. The key is then in the hands of " +
      "whoever opens the page. Default: none.",
    { expects: "origins such as https://app.example.com, separated by commas, or *" },
  ),
  trustedProxies: field(
    listFromText(z.string().refine(isAddressRange)).optional(),
    "Addresses of proxies in front of the server, or ranges such as `10.0.0.0/8`, separated by commas. Refused sign-ins are then " +
      "counted for the address that these name in `X-Forwarded-For`, with or without a port, and of IPv6 for its /64 network. Default: none, and the header is not read.",
    { expects: "addresses or ranges such as 10.0.0.0/8, separated by commas" },
  ),
  maxBodyBytes: whole(
    { from: 1024, to: LONGEST_TEXT, usual: 33_554_432 },
    "Largest request body in bytes, as it was before it was compressed. A larger one is answered with 413. Reading 32 MiB takes some " +
      "hundred milliseconds, in which nothing else is answered.",
  ),
  maxMessages: whole(
    { from: 1, to: 1_000_000, usual: 2048 },
    "Most messages in one request. More are answered with 400.",
  ),
  maxRequestsInFlight: whole(
    { from: 1, to: 1_000_000, usual: 4096 },
    "Most requests that providers answer at one time, and as many of the others, such as decisions. Further ones are answered with " +
      "503 `overloaded`.",
  ),
  maxQueueMs: milliseconds(
    1000,
    "Longest time for which the requests of a burst may wait until the server reads them, in milliseconds; a fifth of it while more " +
      "requests keep coming than the processor can answer. Those beyond it are answered with 503 `overloaded` before they are " +
      "authenticated, so that the others are answered in time.",
  ),
  shutdownGraceMs: whole(
    { from: 0, to: 3_600_000, usual: 10_000 },
    "How long a stopping server waits for requests in flight, in milliseconds. Those that take longer end with the error " +
      "`overloaded`, and leave a trace of what was generated.",
  ),
  logLevel: field(
    z.enum(LOG_LEVELS).default("info"),
    "Least severe log lines to write, to standard error: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or " +
      "`silent`. From `info` on, failed requests and upstream calls are, from `debug` on all of them, each with its request id. Prompts and keys are never logged.",
    { expects: `one of ${LOG_LEVELS.join(", ")}` },
  ),
  metricsKeyNames: switchField(
    { usual: false },
    "Whether `/metrics`, which needs no credentials, shows the names of API keys beside their ids.",
  ),
};
