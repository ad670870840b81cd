import type { Log } from "../../src/foundation/log.js";

export interface LogLine {
  readonly level: keyof Log;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines. */
export class FakeAccessLog implements Log {
  readonly lines: LogLine[] = [];
  readonly info = this.#keep("info");
  readonly warn = this.#keep("warn");

  #keep(level: keyof Log): Log["warn"] {
    return (details, message) => {
      this.lines.push({ level, details, message });
    };
  }

  /** Messages of one level, in order. */
  of(level: keyof Log): readonly string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}
