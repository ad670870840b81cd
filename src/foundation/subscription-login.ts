/**
 * Whether a credential is the login of a Claude subscription, as `claude setup-token` prints it
 * (by what its users show of it, read 2026-11-26), instead of an API key. Accounts whose subscription other
 * programs use are closed: https://github.com/logancyang/obsidian-copilot/issues/2054.
 */
export const isSubscriptionLogin = (credential: string): boolean => credential.startsWith("sk-ant-oat");
