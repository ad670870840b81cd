/** Starts @musistudio/llms in front of one upstream. */
const { default: Server } = require("@musistudio/llms");

const { LLMS_PORT: port, LLMS_UPSTREAM: upstream } = process.env;

const server = new Server({
  logger: false,
  jsonPath: "/nonexistent",
  useJsonFile: false,
  useEnvFile: false,
  useEnvironmentVariables: false,
  initialConfig: {
    HOST: "127.0.0.1",
    PORT: Number(port),
    providers: [{ name: "fake", api_base_url: upstream, api_key: "sk-upstream", models: ["gpt-4o-mini"] }],
  },
});

server.start().then(() => console.log(`listening on http://127.0.0.1:${port}`));
