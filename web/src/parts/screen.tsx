/** A still picture of a session's screen, as plain text. It is read again when the session prints something. */
import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import { get, pathOf } from "../wire/calls";
import type { Session } from "../wire/types";

interface Output {
  readonly lines: readonly string[];
}

/** The last lines that are not empty. */
export function lastLines(lines: readonly string[], count: number): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== "") + 1;
  return lines.slice(Math.max(0, end - count), end).map((line) => line.trimEnd());
}

export function Screen({ session, count }: { session: Session; count: number }): JSX.Element {
  const [lines, setLines] = useState<readonly string[] | null>(null);
  useEffect(() => {
    let isWanted = true;
    get<Output>(pathOf(session.id, "/output?lines=60"))
      .then((output) => isWanted && setLines(output.lines))
      .catch(() => isWanted && setLines((before) => before ?? []));
    return () => {
      isWanted = false;
    };
  }, [session.id, session.last_output_at, session.last_line]);
  const text = lines === null ? "" : lastLines(lines, count).join("\n");
  return (
    <pre class="screen" aria-hidden="true">
      {text || (lines === null ? "" : session.last_line || "Nothing on the screen.")}
    </pre>
  );
}
