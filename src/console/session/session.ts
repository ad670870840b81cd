import { signal } from "@preact/signals";
import type { SessionBody } from "../../gateway/features/console/session-schema.js";
import { errorIn, unreachable } from "../http/api-error.js";

/** Who is signed in. */
export interface Session {
  readonly state: "unknown" | "signed out" | "signed in";
  /** Sent with every request; null when authentication is off, or no one is signed in. */
  readonly proof: string | null;
  readonly keyName: string | null;
  /** Why the last session ended, or could not begin; null when there is nothing to say. */
  readonly reason: string | null;
}

const SIGNED_OUT: Session = { state: "signed out", proof: null, keyName: null, reason: null };

export const session = signal<Session>({ ...SIGNED_OUT, state: "unknown" });

const PATH = "/console/session";

/** Asks the gateway, which also makes the session last from now on. */
export async function refreshSession(): Promise<void> {
  try {
    const reply = await fetch(PATH, { cache: "no-store" });
    if (reply.ok) accept((await reply.json()) as SessionBody);
    else signedOut(errorIn(await reply.json().catch(() => undefined), reply.status).message);
  } catch {
    if (session.value.state === "unknown") signedOut(unreachable().message);
  }
}

/** @throws ApiError */
export async function signIn(key: string): Promise<void> {
  const reply = await fetch(PATH, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  }).catch(() => {
    throw unreachable();
  });
  const body: unknown = await reply.json().catch(() => undefined);
  if (!reply.ok) throw errorIn(body, reply.status);
  accept(body as SessionBody);
}

export async function signOut(): Promise<void> {
  const { proof } = session.value;
  signedOut(null);
  if (proof === null) return;
  await fetch(PATH, { method: "DELETE", headers: { "x-sextant-session": proof } }).catch(() => {});
}

/** The session has ended; the page asks for a key again. What is refused after that says no more. */
export function signedOut(reason: string | null): void {
  if (session.value.state === "signed out") return;
  const isEnd = reason !== null && session.value.state === "signed in";
  session.value = { ...SIGNED_OUT, reason: isEnd ? "Your session has ended. Sign in again." : reason };
}

function accept({ signed_in: isSignedIn, proof, key, reason }: SessionBody): void {
  if (isSignedIn)
    session.value = { state: "signed in", proof: proof ?? null, keyName: key?.name ?? null, reason: null };
  else signedOut(reason ?? null);
}

const LEAST_PAUSE_MS = 60_000;
const SIGNS_OF_LIFE = ["pointerdown", "keydown", "wheel"] as const;

/**
 * A session lasts as long as someone uses the page: whatever they do there is reported to the gateway, at most once a minute.
 * Automatic refreshes do not count as activity.
 */
export function keepSessionAlive(): void {
  let lastMs = performance.now();
  const noteLife = (): void => {
    const nowMs = performance.now();
    if (nowMs - lastMs < LEAST_PAUSE_MS || session.value.state !== "signed in") return;
    lastMs = nowMs;
    void refreshSession();
  };
  for (const sign of SIGNS_OF_LIFE) addEventListener(sign, noteLife, { passive: true, capture: true });
}
