import { useEffect, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { attention, realProviders, reloadAttention } from "../api/attention.js";
import { documentationAt, loadExamples } from "../api/documentation.js";
import { listKeys } from "../api/keys.js";
import { sendTestPrompt, type TestAnswer } from "../api/playground.js";
import { Button, CopyButton, Form } from "../components/controls.js";
import { Link } from "../components/link.js";
import { PageHead, Section, Tabs } from "../components/page.js";
import { Notice, useAction, useResource } from "../components/resource.js";
import { ScrollArea } from "../components/scroll-area.js";
import { Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { KeyDialogs, type OpenDialog } from "../keys/key-dialogs.js";
import { DecisionSummary } from "../router/decision-summary.js";

/** The card for a gateway that has requests. */
export const StartPage = () => (
  <>
    <PageHead title="Get started" />
    <StartCard />
  </>
);

const PROVIDER_MS = 3000;

/** From a new gateway to an application that uses it; steps that are done say so. */
export function StartCard() {
  const keys = useResource("keys", (signal) => listKeys(signal));
  const { profiles = "", ...clients } = useResource("examples", loadExamples).value ?? {};
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  const [key, setKey] = useState("pk_live_…");
  const real = realProviders();
  const isSet = real.length > 0;
  useEffect(() => {
    const timer = isSet ? undefined : setInterval(() => void reloadAttention(), PROVIDER_MS);
    return () => clearInterval(timer);
  }, [isSet]);
  const open = (next: OpenDialog | null): void => {
    if (next?.dialog === "created") setKey(next.created.key);
    setDialog(next);
  };
  return (
    <section class="card padded start" aria-label="Get started">
      <Section title="1. Provider" actions={isSet && <Done />}>
        {isSet ? <p>Found: {real.join(", ")}.</p> : <SetProvider />}
      </Section>
      <TestPrompt />
      <Section title="3. Create a key for your app" actions={(keys.value ?? []).length > 0 && <Done />}>
        <p>
          <Button onClick={() => setDialog({ dialog: "create" })}>Create key</Button>
        </p>
      </Section>
      <Section title="4. Call it from your app">
        <Code name="Key" text={`export SEXTANT_API_KEY=${key}`} />
        <Clients examples={clients} />
      </Section>
      <Section title="5. Profiles from your own prompts">
        <p>
          The shipped profiles rest on public benchmarks. Grade answers to your own prompts to route by them:{" "}
          <a href={documentationAt("workbench")} target="_blank" rel="noopener">
            how it works
          </a>
          .
        </p>
        <Code name="Commands" text={profiles} />
      </Section>
      <KeyDialogs open={dialog} onOpen={open} onChanged={keys.reload} />
    </section>
  );
}

const Done = () => <span class="pill good">done</span>;

const SetProvider = () => (
  <>
    <p>
      None yet. Put the key of <Link href="/providers">a provider</Link> into <code>.env</code>, where the
      gateway was started; it is used within seconds, without a restart.
    </p>
    <Code name="Line of .env" text="OPENAI_API_KEY=sk-…" />
  </>
);

const PROMPT = "Write a bash one-liner that counts the lines of all .ts files.";

/** What `auto` answers, or without a provider and the sandbox, what it decides; first why. */
function TestPrompt() {
  const [answer, setAnswer] = useState<TestAnswer>();
  const execute = attention.value.value?.providers.length !== 0;
  const { run, running, fault } = useAction(async (signal, form: FormData) =>
    setAnswer(await sendTestPrompt(String(form.get("prompt")), { execute, signal })),
  );
  return (
    <Section title="2. Send a test prompt" actions={answer !== undefined && <Done />}>
      <Form class="row" onSubmit={run}>
        <input class="input" name="prompt" aria-label="Test prompt" required defaultValue={PROMPT} />
        <Button look="primary" type="submit" disabled={running !== undefined}>
          {running === undefined ? "Send" : "Sending…"}
        </Button>
      </Form>
      {!execute && <p class="muted small">Without a provider it is routed among all models, not answered.</p>}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      {answer && (
        <div class="stack" role="status">
          {answer.routing !== undefined && <DecisionSummary routing={answer.routing} />}
          {answer.choices.map(({ message: { content } }) => (
            <Code key={answer.request_id} name="Answer" text={content ?? ""} />
          ))}
          <Link href={`/traces/${answer.request_id}`}>Open its trace</Link>
        </div>
      )}
    </Section>
  );
}

/** @param props `examples`: by client */
function Clients({ examples }: { readonly examples: Readonly<Record<string, string>> }) {
  const [path] = useLocation();
  const chosen = useQuery()[0].get("client") ?? "Python";
  const tabs = Object.keys(examples).map((name) => ({
    name,
    href: `${path}?${new URLSearchParams({ client: name })}`,
  }));
  const { origin } = location;
  return (
    <>
      <p>
        Base URL <code>{origin}/v1</code> for OpenAI's clients, <code>{origin}</code> for Anthropic's:{" "}
        <a href={documentationAt("clients")} target="_blank" rel="noopener">
          all clients
        </a>
        .
      </p>
      <Tabs label="Client" tabs={tabs} current={chosen} />
      <Code name={chosen} text={(examples[chosen] ?? "").replaceAll("http://127.0.0.1:8080", origin)} />
    </>
  );
}

const Code = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <div class="secret">
    <ScrollArea label={name}>
      <pre>
        <Plain text={text} />
      </pre>
    </ScrollArea>
    <CopyButton text={text} />
  </div>
);
