/**
 * The reference server: Fastify validates a body with a Zod schema and sends it back, as any server in this framework
 * must. Prints its address and runs until it is stopped.
 */
import fastify from "fastify";
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";

const body = z.object({
  messages: z.array(z.object({ role: z.enum(["system", "user", "assistant"]), content: z.string() })).min(1),
  cost_weight: z.number().min(0).optional(),
  execute: z.boolean().optional(),
});

const app = fastify({ logger: false }).withTypeProvider<ZodTypeProvider>();
app.setValidatorCompiler(validatorCompiler);
app.setSerializerCompiler(serializerCompiler);
app.post("/v1/router", { schema: { body, response: { 200: body } } }, async (request) => request.body);
process.once("SIGTERM", () => void app.close());
console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
