import { createHmac } from "node:crypto";
import type { AlertEvent } from "./alert-state.js";

/** A webhook with its secrets, which nothing shows. */
export interface Webhook {
  readonly name: string;
  readonly form: "slack" | "json";
  readonly url: string;
  /** Signs what is sent in the form `json`. */
  readonly secret: string | undefined;
}

/** How a try to send ended. */
export interface Sent {
  readonly ok: boolean;
  /** `HTTP 200`, or what went wrong, without the address. */
  readonly status: string;
  /** Whether another try may succeed. */
  readonly mayRetry: boolean;
  /** As the receiver asks, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

export interface SendOptions {
  readonly fetch: typeof fetch;
  readonly nowMs: number;
  readonly heldBack: number;
}

const TIMEOUT_MS = 10_000;
/**
 * Slack truncates texts of more than 40,000 characters, and asks for at most 4,000
 * (https://api.slack.com/changelog/2018-04-truncating-really-long-messages, as quoted on 2026-11-27 by other projects).
 */
const MOST_SLACK_CHARACTERS = 3500;

/** Sends an event once. Redirects are not followed: the operator named the address. Never rejects. */
export async function sendEvent(webhook: Webhook, event: AlertEvent, options: SendOptions): Promise<Sent> {
  const body = webhook.form === "slack" ? slackBody(event, options) : jsonBody(event, options);
  try {
    const reply = await options.fetch(webhook.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": "sextant",
        ...(webhook.form === "json" && signedHeaders(event.id, { body, secret: webhook.secret, ...options })),
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await reply.body?.cancel().catch(() => {});
    const { status } = reply;
    const afterS = Number(reply.headers.get("retry-after") ?? Number.NaN);
    return {
      ok: reply.ok,
      status: `HTTP ${status}`,
      mayRetry: status === 408 || status === 429 || status >= 500,
      retryAfterMs: afterS >= 0 ? afterS * 1000 : undefined,
    };
  } catch (fault) {
    return { ok: false, status: faultText(fault), mayRetry: true, retryAfterMs: undefined };
  }
}

/** The code of what went wrong; its text may quote the address, which is a secret where it is Slack's. */
function faultText(fault: unknown): string {
  if (fault instanceof DOMException && fault.name === "TimeoutError")
    return `no answer within ${TIMEOUT_MS / 1000} s`;
  const cause = fault instanceof Error ? fault.cause : undefined;
  return cause instanceof Error && "code" in cause ? String(cause.code) : "no connection";
}

const jsonBody = (event: AlertEvent, { heldBack }: SendOptions): string =>
  JSON.stringify({ ...event, held_back: heldBack });

const SIGNS = {
  "alert.fired": ":rotating_light:",
  "alert.resolved": ":white_check_mark:",
  "alert.test": ":bell:",
};

function slackBody({ type, title, detail }: AlertEvent, { heldBack }: SendOptions): string {
  const what = type === "alert.resolved" ? `Resolved: ${title}` : title;
  const held = heldBack === 0 ? "" : `\n${heldBack} alerts before it were held back.`;
  const text = `${SIGNS[type]} *${escaped(what)}*\n${escaped(detail)}${held}`;
  return JSON.stringify({ text: text.slice(0, MOST_SLACK_CHARACTERS) });
}

/** What Slack reads as markup: these three alone (https://api.slack.com/docs/attachments, as indexed on 2026-11-27). */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * Headers of Standard Webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body. A secret that starts with
 * `whsec_` is base64, as there; another one is used as it is.
 */
function signedHeaders(
  id: string,
  {
    body,
    secret,
    nowMs,
  }: { readonly body: string; readonly secret: string | undefined; readonly nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const named = { "webhook-id": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return named;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...named, "webhook-signature": `v1,${signature}` };
}
