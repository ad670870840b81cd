import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { findTrace, type Trace } from "../api/traces.js";
import { Button, Icon } from "../components/controls.js";
import { isDialogOpen } from "../components/dialog.js";
import { count, dollars, duration } from "../components/format.js";
import { Link } from "../components/link.js";
import { current, Loaded, useResource } from "../components/resource.js";
import { ScrollArea } from "../components/scroll-area.js";
import { Facts, KeyLink, Moment, Plain } from "../components/text.js";
import { TextBody } from "../components/text-body.js";
import { outcomeText } from "./outcome.js";
import { StatusPill } from "./status-pill.js";

interface TracePanelProps {
  readonly id: string;
  readonly onClose: () => void;
}

/** One request beside the list: what was asked, what became of it, and the answer. */
export function TracePanel({ id, onClose }: TracePanelProps) {
  const trace = current(useResource(id, (signal) => findTrace(id, signal)));
  return (
    <aside class="trace-panel" aria-label="Trace">
      <div class="section-head">
        <Link class="button slim" href={`/traces/${id}`}>
          Open trace
        </Link>
        <span class="muted small keys-hint">j and k move, Enter opens</span>
        <Button look="quiet slim square" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <ScrollArea label="Short form">
        <div class="section">
          <Loaded resource={trace}>{(value) => <Short trace={value} />}</Loaded>
        </div>
      </ScrollArea>
    </aside>
  );
}

/** Characters of each text at first. */
const FIRST_CHARACTERS = 1200;

function Short({ trace }: { readonly trace: Trace }) {
  const { input_text: input, answer, error } = trace;
  return (
    <>
      <p>
        <StatusPill status={trace.status} /> <Moment at={trace.created_at} shows="time" />
      </p>
      <p>
        <Plain text={outcomeText(trace)} />
      </p>
      <Facts
        facts={[
          ["Cost", dollars(trace.cost_usd)],
          ["Latency", duration(trace.latency_ms)],
          ["Tokens in / out", `${count(trace.tokens_in)} / ${count(trace.tokens_out)}`],
          ["Key", <KeyLink key="key" of={trace.api_key} />],
        ]}
      />
      {error !== null && (
        <p class="bad-figure small">
          <Plain text={error.message} />
        </p>
      )}
      <h2>Prompt</h2>
      {input === undefined ? (
        <p class="muted">not stored</p>
      ) : (
        <TextBody key={trace.request_id} text={input} characters={FIRST_CHARACTERS} />
      )}
      {answer !== undefined && (answer.text !== "" || answer.tool_calls.length > 0) && (
        <>
          <h2>Answer</h2>
          <TextBody
            key={`answer ${trace.request_id}`}
            text={answerText(answer)}
            characters={FIRST_CHARACTERS}
          />
        </>
      )}
    </>
  );
}

const answerText = ({ text, tool_calls: calls }: NonNullable<Trace["answer"]>): string =>
  [text, ...calls.map(({ name, arguments: given }) => `${name}(${given})`)]
    .filter((one) => one !== "")
    .join("\n");

interface ListKeys {
  readonly ids: readonly string[];
  readonly open: string | null;
  readonly onOpen: (id: string | null) => void;
}

/** What Enter does something else to. */
const CLICKED = "a, button:not([aria-expanded='true'])";

/** `j` and `k`, and the arrows while a trace is open beside the list, go through it; Enter opens the page, Escape closes. */
export function useListKeys({ ids, open, onOpen }: ListKeys): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isTyping = (event.target as HTMLElement).matches("input, select, textarea, [popover] *");
      if (isTyping || isDialogOpen() || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step !== undefined && (open !== null || event.key.length === 1)) {
        const next = ids[ids.indexOf(open ?? "") + step];
        if (next !== undefined) onOpen(next);
      } else if (open !== null && event.key === "Escape") onOpen(null);
      else if (open !== null && event.key === "Enter" && !(event.target as HTMLElement).matches(CLICKED))
        navigate(`/traces/${open}`);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [ids.join(), open]);
  useEffect(() => document.querySelector(".traces tr.open")?.scrollIntoView({ block: "nearest" }), [open]);
}
