/** The one file that knows the ONNX runtime. */

import { InferenceSession, Tensor } from "onnxruntime-node";
import { EmbedderLoadError } from "../load-error.js";

const INPUT = "input_ids";
const OUTPUT = "sentence_embedding";
const ROWS_OUTPUT = "last_hidden_state";

/** A static embedding model on the CPU: token ids in, one finished sentence vector per text out. */
export interface OnnxSession {
  /** Length of a vector. */
  readonly dimensions: number;
  /**
   * @param ids int64 [batch, tokens], row by row, 0 is padding; belongs to the session until the promise settles
   * @returns f32 [batch, dimensions], row by row, in memory of its own. Computed on the calling thread.
   */
  run(ids: BigInt64Array, batch: number): Promise<Float32Array>;
  /** The table's rows of the given tokens, f32 [tokens, dimensions]; rejects when a token has none. */
  rows(ids: BigInt64Array): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * @param model the bytes of the ONNX file: input `input_ids` int64 [batch, tokens], outputs `sentence_embedding` f32
 *   [batch, dimensions] and `last_hidden_state` f32 [batch, tokens, dimensions]; only what is asked for is computed
 * @param path used in messages only
 * @throws EmbedderLoadError when it cannot be read or has other inputs or outputs
 */
export async function openOnnxSession(model: Uint8Array, path: string): Promise<OnnxSession> {
  const session = await createSession(model, path);
  try {
    const dimensions = checkShape(session, path);
    return new CpuSession(session, dimensions);
  } catch (error) {
    await session.release();
    throw error;
  }
}

async function createSession(model: Uint8Array, path: string): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(model, {
      executionProviders: ["cpu"],
      // One thread: a sum of table rows is too small to share, and the gateway needs the other cores.
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      enableCpuMemArena: true,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbedderLoadError(`${path} cannot be loaded by the ONNX runtime: ${reason}`, { cause });
  }
}

function checkShape(session: InferenceSession, path: string): number {
  const [input, ...otherInputs] = session.inputMetadata;
  if (input?.name !== INPUT || otherInputs.length > 0) {
    throw new EmbedderLoadError(
      `${path} takes the inputs ${session.inputNames.join(", ")}; a static model takes "${INPUT}" only`,
    );
  }
  if (!input.isTensor || input.type !== "int64" || input.shape.length !== 2) {
    throw new EmbedderLoadError(`${path}: input "${INPUT}" must be int64 [batch, tokens]`);
  }
  const output = session.outputMetadata.find(({ name }) => name === OUTPUT);
  if (output === undefined) {
    throw new EmbedderLoadError(`${path} has no output "${OUTPUT}", only ${session.outputNames.join(", ")}`);
  }
  if (!session.outputNames.includes(ROWS_OUTPUT)) {
    throw new EmbedderLoadError(
      `${path} has no output "${ROWS_OUTPUT}", only ${session.outputNames.join(", ")}`,
    );
  }
  const dimensions = output.isTensor && output.type === "float32" ? output.shape[1] : undefined;
  if (typeof dimensions !== "number" || !output.isTensor || output.shape.length !== 2) {
    throw new EmbedderLoadError(`${path}: output "${OUTPUT}" must be float32 [batch, dimensions]`);
  }
  return dimensions;
}

class CpuSession implements OnnxSession {
  readonly dimensions: number;
  readonly #session: InferenceSession;

  constructor(session: InferenceSession, dimensions: number) {
    this.#session = session;
    this.dimensions = dimensions;
  }

  /** Neither a preallocated output nor a kept input tensor is faster: both were measured at 0–0.5 µs slower. */
  async run(ids: BigInt64Array, batch: number): Promise<Float32Array> {
    const input = new Tensor("int64", ids, [batch, ids.length / batch]);
    const { [OUTPUT]: output } = await this.#session.run({ [INPUT]: input }, FETCHES);
    return output?.data as Float32Array;
  }

  async rows(ids: BigInt64Array): Promise<Float32Array> {
    const input = new Tensor("int64", ids, [1, ids.length]);
    const { [ROWS_OUTPUT]: output } = await this.#session.run({ [INPUT]: input }, [ROWS_OUTPUT]);
    return output?.data as Float32Array;
  }

  /** The runtime computes on the next turn of the event loop, so runs that were asked for before are done by then. */
  async close(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#session.release();
  }
}

const FETCHES = [OUTPUT];
