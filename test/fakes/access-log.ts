import type { AccessLog } from "../../src/gateway/access/access-log.js";

export interface LogLine {
  readonly level: keyof AccessLog;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines. */
export class FakeAccessLog implements AccessLog {
  readonly lines: LogLine[] = [];
  readonly info = this.#keep("info");
  readonly warn = this.#keep("warn");

  #keep(level: keyof AccessLog): AccessLog["warn"] {
    return (details, message) => {
      this.lines.push({ level, details, message });
    };
  }

  /** Messages of one level, in order. */
  of(level: keyof AccessLog): readonly string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }
}
