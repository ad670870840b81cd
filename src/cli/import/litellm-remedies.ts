export const PROXY_BUDGET = /^(max_budget|budget_duration)$/;

/** What does here what a member of theirs does. The first that fits counts. */
const REMEDIES: readonly (readonly [name: RegExp, remedy: string])[] = [
  [/^master_key$/, "make an administrator's key with `sextant keys create --scopes admin`."],
  [
    /^(database_url|store_model_in_db)$/,
    "keys and spend are kept in the data folder; make new keys with `sextant keys create`.",
  ],
  [PROXY_BUDGET, "`budgets` in the settings file count by day, week or month, `--usd-per-month` by key."],
  [/^(rpm|tpm|weight)$/, "`keys` of an entry of `providers` have such limits and weights."],
  [
    /^(routing_strategy.*|order)$/,
    "SEXTANT_HOST_SORT: by `price`, `latency` or `throughput`, failing ones last.",
  ],
  [/^alert/, "`alerts` in the settings file: see docs/alerts.md."],
  [/^(num_retries|max_retries|retry_policy)$/, "SEXTANT_RETRIES, for all models."],
  [/^(request_timeout|timeout)$/, "SEXTANT_UPSTREAM_TOTAL_TIMEOUT_MS, for all models."],
  [/^stream_timeout$/, "`first_token_timeout_ms` in an entry of `model_limits`."],
  [/^(allowed_fails|cooldown_time)/, "the settings SEXTANT_CIRCUIT_…, for all models."],
  [/^redis_|^cache_params$/, "SEXTANT_REDIS_URL, for limits; answers are not cached."],
  [/^cache/, "answers are not cached."],
  [
    /callback|^turn_off_message_logging$/,
    "OTEL_EXPORTER_OTLP_ENDPOINT sends spans to any collector; SEXTANT_TRACE_CONTENT for texts.",
  ],
  [
    /^drop_params$/,
    "not needed: `auto` chooses models that can do what a request asks; named ones refuse it by field.",
  ],
  [/^(context_window|content_policy)_fallbacks$/, "`fallbacks` are not used after such a refusal."],
  [
    /^aws_(?:access_key_id|secret_access_key|session_token)$/,
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile in `auth`.",
  ],
  [
    /^aws_(?:role_name|session_name|external_id|web_identity_token|sts_endpoint)$/,
    "a profile of ~/.aws/config assumes a role: name it in `auth`.",
  ],
  [
    /^(?:tenant_id|client_secret|azure_ad_token|azure_username|azure_password)$/,
    "set AZURE_TENANT_ID and AZURE_CLIENT_SECRET, or use workload or managed identity: see docs/providers.md.",
  ],
  [
    /^enable_azure_ad_token_refresh$/,
    '`"auth": {"type": "azure"}` in an entry of `providers` renews tokens.',
  ],
  [/^set_verbose|^debug|^json_logs$/, "SEXTANT_LOG_LEVEL."],
];

/** What to do in the place of a member of LiteLLM's configuration that is not imported. */
export const remedyFor = (name: string): string =>
  REMEDIES.find(([pattern]) => pattern.test(name))?.[1] ?? "no equal.";
