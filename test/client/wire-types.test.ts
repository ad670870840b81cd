/** The client's types are those of the server's schemas: what either lacks or has too much is an error of the type checker. */
import { describe, expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { usageSchema } from "../../src/api/completion.js";
import type { profileListSchema } from "../../src/api/profiles.js";
import type { providerListSchema } from "../../src/api/providers.js";
import type { decisionSchema } from "../../src/api/routing.js";
import type { traceListSchema, traceSchema } from "../../src/api/traces/trace.js";
import { TRACE_PARAMETERS } from "../../src/api/traces/trace-query.js";
import type {
  ProfileList,
  ProviderList,
  RouterDecision,
  Trace,
  TraceQuery,
  TraceSummary,
  Usage,
} from "../../src/client/index.js";

type Known<Type> = { [Key in keyof Type as string extends Key ? never : Key]: Type[Key] };

describe("the client's types", () => {
  it("say what the server's schemas say", () => {
    expectTypeOf<z.infer<typeof decisionSchema>>().toExtend<RouterDecision>();
    expectTypeOf<keyof RouterDecision>().toEqualTypeOf<keyof z.infer<typeof decisionSchema>>();
    expectTypeOf<keyof RouterDecision["routing"]>().toEqualTypeOf<
      keyof z.infer<typeof decisionSchema>["routing"]
    >();
    expectTypeOf<z.infer<typeof profileListSchema>>().toEqualTypeOf<ProfileList>();
    expectTypeOf<z.infer<typeof providerListSchema>>().toEqualTypeOf<ProviderList>();
    expectTypeOf<z.infer<typeof traceListSchema>["traces"][number]>().toEqualTypeOf<TraceSummary>();
    expectTypeOf<keyof z.infer<typeof traceSchema>>().toEqualTypeOf<keyof Trace>();
    expectTypeOf<Trace>().toExtend<Omit<z.infer<typeof traceSchema>, "usage" | "routing">>();
    expectTypeOf<keyof Known<z.infer<typeof usageSchema>>>().toEqualTypeOf<
      Exclude<keyof Usage, "prompt_tokens_details" | "completion_tokens_details">
    >();
  });

  it("know every parameter of GET /v1/traces", () => {
    const known: Record<Exclude<keyof TraceQuery, "metadata">, true> = {
      ...{ limit: true, offset: true, start_date: true, end_date: true, source: true, model_id: true },
      ...{ provider: true, status: true, kind: true, q: true },
    };
    expect(Object.keys(known).toSorted()).toEqual(Object.keys(TRACE_PARAMETERS).toSorted());
  });
});
