import { type Alerts, testAlerts } from "../api/alerts.js";
import type { OperatorSettings } from "../api/settings.js";
import { Notice, useAction } from "../components/resource.js";
import { Moment, Plain } from "../components/text.js";
import { Entries } from "./entries.js";
import { withChange } from "./entry-changes.js";

type Webhook = OperatorSettings["settings"]["alerts"]["webhooks"][number];

interface WebhooksProps {
  readonly of: OperatorSettings;
  readonly alerts: Alerts | undefined;
  readonly onChanged: () => void;
}

/** Where alerts are sent. Addresses are not shown, and stay where none is given. */
export function Webhooks({ of, alerts, onChanged }: WebhooksProps) {
  const test = useAction(async (_signal, name: string) => {
    const [sent] = (await testAlerts(name)).data;
    onChanged();
    if (sent?.ok !== true)
      throw new Error(`Not sent to ${name}: ${sent?.status ?? "there is no such webhook"}`);
  });
  const stateOf = (name: string) => alerts?.webhooks.find((one) => one.name === name);
  return (
    <>
      {test.fault !== undefined && <Notice kind="error">{test.fault}</Notice>}
      <Entries<Webhook>
        what="webhook"
        reset={
          of.sources["alerts.webhooks"] === "console" && { alerts: { webhooks: null }, version: of.version }
        }
        entries={of.settings.alerts.webhooks}
        onChanged={onChanged}
        empty="Add one to be told of alerts in Slack, or by signed JSON."
        columns={[
          { head: "Webhook", cell: ({ name }) => <Plain text={name} /> },
          {
            head: "Format",
            cell: ({ form, secret_env: secret }) => (secret === null ? form : `${form}, signed`),
          },
          { head: "Host", cell: ({ host }) => <Plain text={host} /> },
          { head: "Queued", kind: "numeric", cell: ({ name }) => stateOf(name)?.waiting ?? 0 },
          {
            head: "Last sent",
            cell: ({ name }) => {
              const last = stateOf(name)?.last ?? null;
              if (last === null) return <span class="muted">nothing yet</span>;
              return (
                <span>
                  {last.ok ? last.status : <span class="pill bad">{last.status}</span>}{" "}
                  <Moment at={last.at} />
                </span>
              );
            },
          },
        ]}
        more={({ name }) => [{ label: "Send a test", onSelect: () => test.run(name) }]}
        fieldsOf={(of) => [
          ...(of ? [] : [["name", "Name", "required", ""] as const]),
          ["form", "Format", "choice", of?.form ?? "slack", ["slack", "json"]],
          [
            "url",
            "Address",
            "text",
            undefined,
            of ? `Empty: stays, at ${of.host}` : "An http or https URL; empty with a variable.",
          ],
          [
            "url_env",
            "or variable with the address",
            "text",
            of?.url_env,
            "An environment variable of the gateway: keeps the secret out of the store.",
          ],
          ["secret_env", "Variable with the signing secret", "text", of?.secret_env],
        ]}
        patchOf={({ alerts: { webhooks } }, of) => {
          const known = webhooks.map(({ name, form, secret_env: secret }) => ({
            name,
            form,
            ...(secret !== null && { secret_env: secret }),
          }));
          return { alerts: { webhooks: withChange(known, of) } };
        }}
      />
    </>
  );
}
