/** Files of the data folder that a crash, a full disk or an editor damaged. */
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SextantError, StorageError } from "../../src/foundation/errors.js";
import { UNLIMITED } from "../../src/gateway/access/principal.js";
import { openTokens } from "../../src/gateway/access/tokens/open-tokens.js";
import { SqliteStore } from "../../src/gateway/storage/sqlite-store.js";
import { FakeAccessLog } from "../fakes/access-log.js";
import { claims, NOW_MS, relatives } from "../gateway/access/tokens/forged-tokens.js";
import { folderForTest, folderForTests } from "../support/folders.js";
import { FUZZ_TIMEOUT_MS, fuzz } from "./effort.js";
import { mutatedBytes, mutatedText } from "./hostile-values.js";

const folder = folderForTests();
const MONTH = "2026-01";

const run = (name: string, work: () => Promise<void>) => it(name, work, FUZZ_TIMEOUT_MS);
const damaged = (text: string): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(mutatedText(text), mutatedBytes(Buffer.from(text)));

describe("The file of the store", () => {
  run("is read, or refused with its name, and never with wrong amounts", async () => {
    const right = folderForTest();
    const store = new SqliteStore(right);
    for (let number = 0; number < 40; number++) {
      store.add({ period: MONTH, name: `key_${number}`, amount: 1_000 });
      await store.put({ kind: "key", key: String(number) }, "x".repeat(100));
    }
    await store.close();
    const bytes = readFileSync(store.name);
    await fuzz(
      fc.asyncProperty(mutatedBytes(bytes), async (damaged) => {
        const data = folderForTest();
        await writeFile(join(data, "state.db"), damaged);
        const opened = new SqliteStore(data);
        try {
          for (const { amount } of opened.sums())
            expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true);
          await opened.entries("key");
          await opened.put({ kind: "key", key: "new" }, "value");
        } catch (fault) {
          expect(fault).toBeInstanceOf(StorageError);
          expect(String(fault)).toContain("state.db");
        }
        await opened.close();
      }),
      { runs: 50 },
    );
  });
});

describe("A file of public keys", () => {
  run("is read, or refused with its name; tokens are accepted or refused by it", async () => {
    const { keySet, tokens } = relatives(claims());
    const token = tokens.get("RS256") ?? "";
    const path = join(folder, "keys.jwks.json");
    const open = () =>
      openTokens(
        { jwtJwks: path },
        { limits: UNLIMITED, now: () => NOW_MS, monotonicNow: () => NOW_MS, fetch, log: new FakeAccessLog() },
      );
    await writeFile(path, keySet);
    expect((await (await open())?.authenticate(token))?.id).toContain("ada");
    await fuzz(
      fc.asyncProperty(damaged(keySet), async (text) => {
        await writeFile(path, text);
        const check = await open().catch((error: unknown) => error);
        if (check instanceof Error) {
          expect(check).toBeInstanceOf(StorageError);
          expect(check.message).toContain("keys.jwks.json");
          return;
        }
        const opened = check as NonNullable<Awaited<ReturnType<typeof open>>>;
        const principal = await (async () => opened.authenticate(token))().catch((error: unknown) => error);
        if (principal instanceof Error) expect(principal).toBeInstanceOf(SextantError);
      }),
      { runs: 50 },
    );
  });
});
