import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "test/services/**",
      "test/e2e/clients/**",
      "test/e2e/console/**",
      "test/e2e/installed-package.test.ts",
    ],
    // Tests wait for processes and timers as much as they compute: as many workers as processors, not one fewer.
    maxWorkers: "100%",
    // Only against hanging for ever: a busy machine takes its time to start the processes that some tests run.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Of the fuzz tests: `npm run test:fuzz -- --coverage`.
    coverage: { provider: "custom", customProviderModule: "./test/fuzz/coverage/provider.ts" },
    expect: { poll: { timeout: 240_000, interval: 20 } },
  },
});
