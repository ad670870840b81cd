import { importOptional } from "../../../foundation/optional-package.js";
import type { AuthorizedRequest, Authorizer } from "../http/authorizer.js";
import { CredentialCache } from "./credential-cache.js";
import { Sha256 } from "./sha256.js";

/** Of AWS's packages, what is used of them. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
}
interface SignerOptions {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  readonly sha256: typeof Sha256;
}
interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
}
interface SignatureLibrary {
  readonly SignatureV4: new (
    options: SignerOptions,
  ) => {
    sign(request: object, options: { readonly signingDate: Date }): Promise<SignedRequest>;
  };
}
interface CredentialLibrary {
  defaultProvider(options: { readonly profile?: string }): () => Promise<AwsCredentials>;
}

export const AWS_PACKAGES = ["@smithy/signature-v4", "@aws-sdk/credential-provider-node"] as const;

interface AwsOptions {
  readonly region: string;
  /** Of `~/.aws/config`; undefined: what AWS's own programs would use. */
  readonly profile: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Where credentials come from; default AWS's chain: environment, profile, web identity, container, instance. */
  readonly findCredentials?: () => Promise<AwsCredentials>;
}

/** Signs requests with Signature Version 4. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
export function awsAuthorizer({ region, profile, now, findCredentials }: AwsOptions): Authorizer {
  let find = findCredentials;
  const cache = new CredentialCache(async () => {
    if (find === undefined) {
      const { defaultProvider } = await importOptional<CredentialLibrary>(AWS_PACKAGES[1]);
      find = defaultProvider(profile === undefined ? {} : { profile });
    }
    const value = await find();
    return { value, expiresAtMs: value.expiration?.getTime() ?? null };
  }, now);
  return {
    cloud: "aws",
    async authorize(request) {
      const [{ SignatureV4 }, credentials] = await Promise.all([
        importOptional<SignatureLibrary>(AWS_PACKAGES[0]),
        cache.get(),
      ]);
      const service = serviceOf(request.url);
      const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
      const { headers } = await signer.sign(signable(request), { signingDate: new Date(now()) });
      const { host: _sentAnyway, "content-type": _sentToo, ...added } = headers;
      return added;
    },
    forget: () => cache.forget(),
  };
}

/**
 * The name that requests are signed for: that of `bedrock-mantle` is its own.
 * OpenAI's own client signs so: its `providers/bedrock/aws`, an excerpt seen on 2026-11-27.
 */
const serviceOf = ({ hostname }: URL): string =>
  hostname.startsWith("bedrock-mantle.") ? "bedrock-mantle" : "bedrock";

function signable({ method, url, body }: AuthorizedRequest) {
  return {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, "content-type": "application/json" },
    body,
  };
}
