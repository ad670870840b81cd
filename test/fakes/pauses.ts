import { type Pause, type PausesInForce, pausedThing, pauseNamesOf } from "../../src/gateway/run/pause.js";

/** Of a pause that names no other end. */
export const PAUSE_ENDS = "2026-01-02T04:00:00.000Z";

/** What a list of pauses means for deployments. */
export function pausing(...pauses: readonly Partial<Pause>[]): PausesInForce {
  const all = pauses.map(
    (pause) => ({ kind: "model", redirect_to: null, ends_at: PAUSE_ENDS, ...pause }) as Pause,
  );
  return {
    any: all.length > 0,
    admit() {},
    ofDeployment(deployment) {
      const provider = pausedThing({ kind: "provider", target: deployment.provider });
      return all.find((pause) => [...pauseNamesOf(deployment), provider].includes(pausedThing(pause)));
    },
  };
}
