import { defineConfig } from "vitest/config";

/** Tests that need servers, or the browser, of others: they start them by themselves, one file after the other. */
export default defineConfig({
  test: {
    include: ["test/services/**/*.test.ts", "test/e2e/console/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
