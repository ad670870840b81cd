import { freePorts, type Program, RealServer } from "./real-server.js";

/**
 * A real redis-server of its own: on a free port of loopback, without persistence, so that it forgets everything when it dies.
 */
export class RedisServer extends RealServer {
  protected readonly program: Program;

  private constructor(
    readonly port: number,
    settings: readonly string[],
  ) {
    super("redis");
    this.program = {
      name: "redis-server",
      variable: "SEXTANT_TEST_REDIS",
      argv: [
        ...["--port", String(port), "--bind", "127.0.0.1", "--dir", this.folder],
        ...["--save", "", "--appendonly", "no", ...settings],
      ],
      readyLine: "Ready to accept connections",
    };
  }

  /** @param settings further arguments, such as `--requirepass`, `secret` */
  static async start(...settings: readonly string[]): Promise<RedisServer> {
    const [port = 0] = await freePorts(1);
    const server = new RedisServer(port, settings);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }
}
