/** Tokens of ChatGPT's login have this claim (by programs that read it from Codex's `auth.json`, seen 2026-11-27). */
const CHATGPT_CLAIM = '"https://api.openai.com/auth"';

/**
 * Whose subscription a credential is the login of, instead of an API key: Claude's as `claude setup-token` prints it
 * (by what its users show of it, read 2026-11-26), and ChatGPT's. Accounts whose subscription other programs use are
 * closed: https://github.com/logancyang/obsidian-copilot/issues/2054. Undefined for any other credential.
 */
export function subscriptionOf(credential: string): "Claude" | "ChatGPT" | undefined {
  if (credential.startsWith("sk-ant-oat")) return "Claude";
  if (!credential.startsWith("eyJ")) return undefined;
  const [, claims = ""] = credential.split(".", 2);
  return Buffer.from(claims, "base64url").includes(CHATGPT_CLAIM) ? "ChatGPT" : undefined;
}
