import { defineConfig } from "vitest/config";

/** Tests that need servers, the browser or the package registry of others. They start servers by themselves, one file after the other. */
export default defineConfig({
  test: {
    include: [
      "test/services/**/*.test.ts",
      "test/e2e/clients/**/*.test.ts",
      "test/e2e/console/**/*.test.ts",
      "test/e2e/installed-package.test.ts",
    ],
    exclude: ["**/node_modules/**"],
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 20 } },
  },
});
