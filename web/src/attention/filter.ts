/**
 * The filter of the session list. Words must all occur in what a row shows; `host:`, `agent:`, `is:` and `-` narrow the search:
 * `is:working host:build -crew/` finds working sessions of the host build whose row does not contain `crew/`.
 */
import type { Session } from "../wire/types";
import { groupOf, needsOf } from "./order";

const textOf = (session: Session): string =>
  [session.name, session.id, session.agent, session.host, session.directory, session.signal_text, session.last_line, ...needsOf(session).map((need) => need.text)]
    .join("\n")
    .toLowerCase();

function matches(session: Session, term: string): boolean {
  const colon = term.indexOf(":");
  const [field, value] = [term.slice(0, Math.max(0, colon)), term.slice(colon + 1)];
  if (field === "host") return session.host.toLowerCase().includes(value);
  if (field === "agent") return session.agent.toLowerCase().includes(value);
  if (field === "is") return groupOf(session).startsWith(value);
  return textOf(session).includes(term);
}

export function filterSessions(sessions: readonly Session[], words: string): Session[] {
  const terms = words.toLowerCase().split(/\s+/).filter((term) => term !== "" && term !== "-");
  return sessions.filter((session) =>
    terms.every((term) => (term.startsWith("-") ? !matches(session, term.slice(1)) : matches(session, term))),
  );
}
