import type { Pause } from "./pause.js";

/** One state of the stored pauses. Two states with the same stamp are the same. */
export interface PauseState {
  /** Those that have ended may be among them. */
  readonly pauses: readonly Pause[];
  readonly stamp: string;
}

/** Where pauses stand that several processes follow. Its methods reject when it cannot be read or written. */
export interface PauseStore {
  /** Undefined while it still is the state with that stamp. */
  read(knownStamp?: string): Promise<PauseState | undefined>;
  /** Replaces the pause of the same thing, if there is one. */
  put(pause: Pause): Promise<void>;
  /** Nothing happens when there is none any more. */
  remove(pause: Pause): Promise<void>;
  close(): Promise<void>;
}
