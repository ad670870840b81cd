import { cpus } from "node:os";

/** Where figures were made. */
export interface Environment {
  readonly node: string;
  readonly processor: string;
  readonly cores: number;
}

export function describeEnvironment(): Environment {
  const processors = cpus();
  return {
    node: process.version,
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
  };
}
