/** Creates keys until it is killed, and writes the id of each once it is created. */
import { writeSync } from "node:fs";
import { openKeyRing } from "../../../../src/compose/keys.js";
import { SqliteStore } from "../../../../src/gateway/storage/sqlite-store.js";

const [, , dataDir = ""] = process.argv;
const ring = await openKeyRing(new SqliteStore(dataDir), {});
for (;;) {
  const { metadata } = await ring.create({ name: "app", scopes: ["inference"] });
  writeSync(1, `${metadata.id}\n`);
}
