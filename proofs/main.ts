/** `npm run proof -- NAME`: proofs/README.md says what each of them proves. */
import { createProofProgram } from "../bench/program.js";
import { runSuite } from "../bench/run-suite.js";
import { equalityCommand } from "./equality/command.js";

try {
  await createProofProgram({ runSuite }).addCommand(equalityCommand()).parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
