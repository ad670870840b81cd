/**
 * Bedrock's runtime endpoint as far as it authenticates: verifies signatures as AWS does, by its own code, and refuses
 * what AWS refuses. Each rule names what its words are from, as of 2026-11-27.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { jsonReply, type Script, type SeenRequest } from "../upstream-server.js";

export interface AwsAccount {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly session?: { readonly token: string; readonly endsAtMs: number };
}

interface BedrockOptions {
  readonly accounts: readonly AwsAccount[];
  readonly region: string;
  /** Milliseconds since the epoch, by AWS's clock. */
  readonly now: () => number;
}

const SCOPE =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

const forbidden = (message: string): Script => jsonReply({ message }, { status: 403 });

/** What answers a request in the place of the model; null for one that is signed as AWS asks. */
export function bedrockRefusal(request: SeenRequest, options: BedrockOptions): Script | null {
  const { authorization = "" } = request.headers;
  const parts = SCOPE.exec(authorization);
  // Words: a guess.
  if (parts === null) return forbidden("Missing Authentication Token");
  const [, id = "", day = "", region, service, signed = "", signature = ""] = parts;
  // https://github.com/earendil-works/pi/issues/3487 (2026-04-21)
  if (region !== options.region)
    return forbidden(`Credential should be scoped to a valid region, not '${region}'.`);
  // https://github.com/cllunsford/aws-signing-proxy/issues/25 (2018-05-13)
  if (service !== "bedrock") return forbidden("Credential should be scoped to correct service: 'bedrock'.");
  // Of Bedrock: https://github.com/Arize-ai/openinference/issues/2358; a wrong session token: a guess.
  const account = options.accounts.find(({ accessKeyId }) => accessKeyId === id);
  const session = account?.session;
  if (account === undefined || request.headers["x-amz-security-token"] !== session?.token)
    return forbidden("The security token included in the request is invalid.");
  // Of Bedrock: https://github.com/anthropics/claude-code/issues/28032 (2026-02-24)
  if (session !== undefined && session.endsAtMs <= options.now())
    return forbidden("The security token included in the request is expired");
  const names = signed.split(";");
  const expected = signatureOf(request, { names, day, region, secret: account.secretAccessKey });
  if (timingSafeEqual(Buffer.from(expected), Buffer.from(signature))) return null;
  // https://github.com/aaif-goose/goose/issues/699 (2025-01-23)
  return forbidden(
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.",
  );
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

interface Signing {
  readonly names: readonly string[];
  readonly day: string;
  readonly region: string;
  readonly secret: string;
}

/** By https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function signatureOf(request: SeenRequest, { names, day, region, secret }: Signing): string {
  const [path = "", query = ""] = request.path.split("?");
  const canonical = [
    request.method,
    path.split("/").map(encodeURIComponent).join("/"),
    query.split("&").sort().join("&"),
    ...names.map((name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    sha256(request.body),
  ].join("\n");
  const scope = `${day}/${region}/bedrock/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [day, region, "bedrock", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}
