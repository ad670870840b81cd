import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Instruction {
  /** `COPY`, `RUN`. */
  readonly name: string;
  readonly text: string;
}

interface Copy {
  /** The stage that it copies from; undefined for files of the repository. */
  readonly from: string | undefined;
  readonly sources: readonly string[];
  readonly target: string;
}

export interface Stage {
  readonly name: string | undefined;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

/** The stages of the Dockerfile. Reads what ours uses: no here-documents, no flags but `--from` and those of HEALTHCHECK. */
export function dockerfileStages(): readonly Stage[] {
  const text = readFileSync(`${ROOT}Dockerfile`, "utf8");
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { name: string | undefined; image: string; instructions: Instruction[] }[] = [];
  const values = new Map<string, string>();
  for (const line of lines) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === "") throw new Error(`no instruction: ${line}`);
    if (name === "FROM") {
      const [given = "", , stage] = rest.split(" ");
      const image = given.replace(/\$\{(\w+)\}/g, (_, key: string) => values.get(key) ?? "");
      stages.push({ name: stage, image, instructions: [] });
    } else if (name === "ARG" && stages.length === 0) {
      const [key = "", value = ""] = rest.split(/=(.*)/);
      values.set(key, value);
    } else stages.at(-1)?.instructions.push({ name, text: rest });
  }
  return stages;
}

export function copiesOf({ instructions }: Stage): readonly Copy[] {
  return instructions
    .filter(({ name }) => name === "COPY")
    .map(({ text }) => {
      const words = text.split(" ");
      const from = words[0]?.startsWith("--from=") ? words.shift()?.slice("--from=".length) : undefined;
      return { from, sources: words.slice(0, -1), target: words.at(-1) ?? "" };
    });
}

/** The last value of an instruction, such as `USER`; undefined when there is none. */
export const lastOf = ({ instructions }: Stage, wanted: string): string | undefined =>
  instructions.findLast(({ name }) => name === wanted)?.text;

/** `ENV` of a stage. */
export const environmentOf = ({ instructions }: Stage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    instructions
      .filter(({ name }) => name === "ENV")
      .flatMap(({ text }) => text.split(" ").map((pair) => pair.split("=") as [string, string])),
  );

/** The words of an instruction in its JSON form, such as `ENTRYPOINT`. */
export const wordsOf = (text: string | undefined): readonly string[] =>
  JSON.parse(/\[.*\]$/.exec(text ?? "")?.[0] ?? "[]");

/** What the container runs: entry point and arguments. */
export const commandOf = (stage: Stage): readonly string[] => [
  ...wordsOf(lastOf(stage, "ENTRYPOINT")),
  ...wordsOf(lastOf(stage, "CMD")),
];
