import { beforeEach, describe } from "vitest";
import { itStores } from "../../contracts/store.contract.js";
import { MemoryStore } from "../../fakes/store.js";

describe("The store that tests share", () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
  });
  itStores(() => store);
});
