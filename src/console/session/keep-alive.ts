import { refreshSession, session } from "./session.js";

const LEAST_PAUSE_MS = 60_000;
const SIGNS_OF_LIFE = ["pointerdown", "keydown", "wheel"] as const;

/**
 * A session lasts as long as somebody uses the page: whatever they do there is told to the gateway, at most once a minute.
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
