/** Dockerfile, compose file and what they mount: checked by their text, since no container runtime can be expected here. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SETTING_NAMES, variableOf } from "../../src/gateway/settings.js";
import { copiesOf, dockerfileStages, environmentOf, lastOf, ROOT, wordsOf } from "./dockerfile.js";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const isSetting = (name: string) => SETTING_NAMES.some((setting) => variableOf(setting) === name);

const stages = dockerfileStages();
const image = stages.at(-1) ?? { name: undefined, image: "", instructions: [] };

describe("The Dockerfile", () => {
  it("copies only files that exist and that .dockerignore lets through, from stages that exist", () => {
    const [everything, ...allowed] = read(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(everything).toBe("*");
    const copies = stages.flatMap(copiesOf);
    const own = copies.filter(({ from }) => from === undefined).flatMap(({ sources }) => sources);
    expect(own.length).toBeGreaterThan(10);
    for (const source of own) {
      expect(existsSync(join(ROOT, source)), source).toBe(true);
      expect(allowed, source).toContain(`!${source}`);
    }
    expect(allowed.filter((line) => !own.includes(line.slice(1)))).toEqual([]);
    const names = stages.map(({ name }) => name);
    for (const { from } of copies) if (from !== undefined) expect(names).toContain(from);
  });

  it("leaves nothing of the package out but its type declarations and its pages", () => {
    const { files } = JSON.parse(read("package.json"));
    const targets = copiesOf(image).map(({ target }) => target);
    const isLeftOut = (name: string) => /^!|\.md$|^(?:docs|types|llms\.txt)$/.test(name);
    for (const file of files.filter((name: string) => !isLeftOut(name)))
      expect(targets).toContain(`./${file}`);
  });

  it("runs as a user without rights, on an image of a Node that the package supports", () => {
    expect(lastOf(image, "USER")).toBe("node");
    for (const stage of stages) expect(stage.image).toMatch(/^node:22\.\d+\.\d+-[\w-]+@sha256:[0-9a-f]{64}$/);
    expect(stages.flatMap(({ instructions }) => instructions).filter(({ name }) => name === "ADD")).toEqual(
      [],
    );
  });

  it("sets only settings that exist, and keeps data in its volume", () => {
    const environment = environmentOf(image);
    for (const name of Object.keys(environment))
      expect(/^(NODE_ENV|MALLOC_\w+)$/.test(name) || isSetting(name), name).toBe(true);
    expect(lastOf(image, "VOLUME")).toBe(environment.SEXTANT_DATA_DIR);
    expect(lastOf(image, "EXPOSE")).toBe(environment.SEXTANT_PORT);
  });

  it("installs what the lock file says, without install scripts, and asks whether it lives", () => {
    const runs = stages.flatMap(({ instructions }) => instructions).filter(({ name }) => name === "RUN");
    expect(runs.map(({ text }) => text).filter((text) => text.includes("npm "))).toEqual([
      "npm ci --ignore-scripts",
      "npm run build",
      "npm ci --omit=dev --ignore-scripts",
    ]);
    expect(wordsOf(lastOf(image, "HEALTHCHECK")).join(" ")).toContain("/healthz");
  });
});

it("The unit of systemd starts what the image does, without capabilities, within bounds", () => {
  const unit = read("deploy/sextant.service");
  const [node, ...words] = wordsOf(lastOf(image, "ENTRYPOINT"));
  const command = [`/usr/bin/${node}`, ...words, ...wordsOf(lastOf(image, "CMD"))].join(" ");
  expect(unit).toContain(`ExecStart=${command.replace("/app/", "/opt/sextant/")}\n`);
  for (const line of ["CapabilityBoundingSet=", "MemoryMax=2G", "TasksMax=256", "UMask=0077"])
    expect(unit.split("\n")).toContain(line);
  for (const name of ["SystemCallFilter", "RestrictAddressFamilies"]) expect(unit).toContain(`\n${name}=`);
});

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}
const compose = parse(read("compose.yaml")) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly networks: object;
};
const { sextant } = compose.services;

describe("The compose file", () => {
  it("runs the gateway without rights, on a file system that it cannot write", () => {
    expect(sextant).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      tmpfs: ["/tmp"],
      volumes: [`sextant-data:${environmentOf(image).SEXTANT_DATA_DIR}`],
    });
  });

  it("sets only settings that exist, in its comments too", () => {
    const named = read("compose.yaml").match(/\bSEXTANT_[A-Z_]+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !isSetting(name))).toEqual([]);
  });

  it("has no password of its own, and shares what has none with the gateway alone", () => {
    const environments = Object.values(compose.services).flatMap(({ environment = {} }) =>
      Object.entries(environment),
    );
    const secrets = environments.filter(([name]) => /PASSWORD|SECRET|TOKEN/.test(name));
    expect(secrets).toEqual([["CLICKHOUSE_PASSWORD", `\${CLICKHOUSE_PASSWORD-}`]]);
    expect(compose.services.grafana?.environment).toMatchObject({
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
    });
    expect(compose.networks).toEqual({ stores: { internal: true } });
    const inStores = Object.entries(compose.services).filter(([, { networks = [] }]) =>
      networks.includes("stores"),
    );
    expect(inStores.map(([name]) => name)).toEqual(["sextant", "redis", "clickhouse"]);
  });

  it("bounds memory and processes of every container, and lets none gain rights", () => {
    for (const service of Object.values(compose.services))
      expect(service).toMatchObject({
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        pids_limit: expect.any(Number),
        security_opt: ["no-new-privileges:true"],
      });
  });

  it("opens ports to this machine alone", () => {
    const ports = Object.values(compose.services).flatMap(({ ports = [] }) => ports);
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it("mounts files that exist, and volumes that it declares, and pins images by digest", () => {
    for (const [name, { volumes = [], image: tag }] of Object.entries(compose.services)) {
      for (const volume of volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith("./")) expect(existsSync(join(ROOT, source)), volume).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      if (name !== "sextant") expect(tag).toMatch(/^[\w./-]+:v?\d+(?:\.\d+)+[\w.-]*@sha256:[0-9a-f]{64}$/);
    }
  });

  it("has Prometheus scrape the gateway by the name that the alert rules have for it, and load them", () => {
    const prometheus = parse(read("deploy/prometheus.yml"));
    expect(prometheus.scrape_configs).toEqual([
      { job_name: "sextant", static_configs: [{ targets: ["sextant:8080"] }] },
    ]);
    const mounts = compose.services.prometheus?.volumes ?? [];
    for (const file of prometheus.rule_files) {
      expect(mounts).toContain(`./deploy/${file}:/etc/prometheus/${file}:ro`);
    }
  });
});
