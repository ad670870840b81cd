import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import ts from "typescript";

/** How many imports lie between a test and each file that it loads: 1 for what it imports itself. */
export function importDistances(
  test: string,
  importsOf: (file: string) => readonly string[],
): Map<string, number> {
  const distances = new Map([[test, 0]]);
  for (const [file, distance] of distances) {
    for (const imported of importsOf(file)) {
      if (!distances.has(imported)) distances.set(imported, distance + 1);
    }
  }
  return distances;
}

/** Reads the imports of a file by value, each file once. Paths are relative to the repository. */
export function importReader(): (file: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (file) => {
    let imports = known.get(file);
    if (!imports) {
      imports = readImports(file);
      known.set(file, imports);
    }
    return imports;
  };
}

function readImports(file: string): string[] {
  const text = readFileSync(file, "utf8").replace(/^(import|export) type [^;]*;/gm, "");
  return ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
    if (!fileName.startsWith(".")) return [];
    const path = normalize(join(dirname(file), fileName));
    return [path.replace(/\.js$/, ".ts"), path.replace(/\.js$/, ".tsx"), path].filter(
      (candidate) => /\.tsx?$/.test(candidate) && existsSync(candidate),
    );
  });
}
