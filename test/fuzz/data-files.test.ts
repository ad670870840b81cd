/** Files of the data folder that a crash, a full disk or an editor damaged. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SextantError, StorageError } from "../../src/foundation/errors.js";
import { SpendFile } from "../../src/gateway/access/limits/spend-file.js";
import { UNLIMITED } from "../../src/gateway/access/principal.js";
import { openTokens } from "../../src/gateway/access/tokens/open-tokens.js";
import { FakeAccessLog } from "../fakes/access-log.js";
import { claims, NOW_MS, relatives } from "../gateway/access/tokens/forged-tokens.js";
import { folderForTests } from "../support/folders.js";
import { FUZZ_TIMEOUT_MS, fuzz } from "./effort.js";
import { mutatedBytes, mutatedText } from "./hostile-values.js";

const folder = folderForTests();
const MONTH = "2026-01";

const run = (name: string, work: () => Promise<void>) => it(name, work, FUZZ_TIMEOUT_MS);
const damaged = (text: string): fc.Arbitrary<string | Uint8Array> =>
  fc.oneof(mutatedText(text), mutatedBytes(Buffer.from(text)));

describe("The file of spending", () => {
  const file = join(folder, "spend.json");
  const journal = join(folder, "spend.json.journal-1");
  const lineOf = (principal: string, nanoUsd: number) => `${JSON.stringify([MONTH, principal, nanoUsd])}\n`;
  const spent = { key_ada: 1_000, key_ben: 5 };
  const right = JSON.stringify({ version: 1, month: MONTH, spent_nano_usd: spent, journals: {} });
  const read = async () => {
    const spending = new SpendFile(folder, { log: new FakeAccessLog() });
    return spending.read(Date.UTC(2026, 0, 15));
  };

  run("is read as amounts, or refused with its name", async () => {
    await fuzz(
      fc.asyncProperty(damaged(right), async (text) => {
        await writeFile(file, text);
        const sums = await read().catch((error: unknown) => error);
        if (Array.isArray(sums))
          for (const { nanoUsd } of sums) expect(Number.isSafeInteger(nanoUsd) && nanoUsd >= 0).toBe(true);
        else {
          expect(sums).toBeInstanceOf(StorageError);
          expect(String(sums)).toContain("spend.json");
        }
      }),
      { runs: 50 },
    );
  });

  run("counts the whole lines of a journal, however damaged the others are", async () => {
    await writeFile(file, right);
    await fuzz(
      fc.asyncProperty(damaged(lineOf("key_eve", 9)), async (line) => {
        const whole = Buffer.from(lineOf("key_ada", 7));
        await writeFile(journal, Buffer.concat([whole, Buffer.from(line), Buffer.from("\n"), whole]));
        const sums = await read();
        expect(sums.find(({ principal }) => principal === "key_ada")?.nanoUsd).toBe(1_014);
        for (const { nanoUsd } of sums) expect(Number.isSafeInteger(nanoUsd)).toBe(true);
      }),
      { runs: 50 },
    );
    await rm(journal);
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
