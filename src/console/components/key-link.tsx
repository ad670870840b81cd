import { Link } from "wouter-preact";
import { Plain } from "./plain.js";

interface KeyLinkProps {
  /** Null: a token asked, or authentication is off. */
  readonly of: { readonly id: string; readonly name: string | null } | null;
}

/** A key by its name, with the way to its page. A key without a name is not stored, or not known any more. */
export function KeyLink({ of }: KeyLinkProps) {
  if (of === null) return <span class="muted">–</span>;
  if (of.name === null) return <Plain text={of.id} />;
  return (
    <Link href={`/keys/${of.id}`}>
      <Plain text={of.name} />
    </Link>
  );
}
