import { z } from "zod";

const isoDate = z.iso.datetime({ offset: true });

/** Requests that came with a secret after it had stopped working. */
export const refusedUseSchema = z.object({
  requests: z.int().min(1),
  first_at: isoDate,
  last_at: isoDate,
  last_address: z.string().describe("Where the last of them came from; of IPv6 the /64 network."),
  last_source: z
    .string()
    .nullable()
    .describe("The source that it named in `x-source`, or that the key has; null without one."),
});

export type RefusedUse = z.infer<typeof refusedUseSchema>;
