/** The composer: it sends hark messages, never keys. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { JSX } from "preact";
import { say } from "../state/actions";
import { isReadOnly } from "../state/live";
import { describe, type Problem } from "../wire/calls";
import type { Mode, Session } from "../wire/types";
import { changeDraft, EMPTY_DRAFT, loadDraft, makeKey, saveDraft, type Draft } from "./draft";
import { sends } from "./keys";
import { readSchedule } from "./schedule";
import { sendDraft } from "./sending";

const MODES: readonly [Mode, string, string][] = [
  ["sequential", "Next turn", "Delivered at once if the agent is idle, else as its next turn."],
  ["important", "Important", "Delivered at the next pause between two tools."],
  ["urgent", "Urgent", "Interrupts the turn that runs."],
];

export function Composer({ session, onSent }: { session: Session; onSent?: () => void }): JSX.Element {
  const [draft, setDraft] = useState<Draft>(() => loadDraft(localStorage, session.id));
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const id = `composer-${session.id}`;

  useEffect(() => setDraft(loadDraft(localStorage, session.id)), [session.id]);

  const keep = (next: Draft): void => {
    setDraft(next);
    saveDraft(localStorage, session.id, next);
  };
  const change = (values: Partial<Omit<Draft, "key">>): void => keep(changeDraft(draft, values));

  const submit = async (): Promise<void> => {
    if (isSending || draft.text.trim() === "" || isReadOnly.value) return;
    const keyed = draft.key === "" ? { ...draft, key: makeKey() } : draft;
    keep(keyed);
    setSending(true);
    setProblem(null);
    try {
      say(await sendDraft(session.id, keyed, new Date()));
      keep({ ...EMPTY_DRAFT, mode: draft.mode });
      onSent?.();
    } catch (error) {
      setProblem(describe(error));
    } finally {
      setSending(false);
      field.current?.focus();
    }
  };

  const isTimeKnown = readSchedule(draft.when, new Date()) !== null;
  const explained = MODES.find(([mode]) => mode === draft.mode)?.[2] ?? "";
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label class="hidden-label" for={id}>
        Message to {session.name}
      </label>
      <textarea
        id={id}
        ref={field}
        data-composer={session.id}
        placeholder={`Message to ${session.name}`}
        rows={3}
        value={draft.text}
        readOnly={isReadOnly.value}
        enterkeyhint="send"
        onInput={(event) => change({ text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (!sends(event)) return;
          event.preventDefault();
          void submit();
        }}
      />
      <div class="options">
        <label>
          <span class="hidden-label">How it is delivered</span>
          <select value={draft.mode} onChange={(event) => change({ mode: event.currentTarget.value as Mode })}>
            {MODES.map(([mode, label]) => (
              <option key={mode} value={mode}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="hidden-label">When it is sent</span>
          <input
            type="text"
            list="times"
            placeholder="now"
            value={draft.when}
            aria-invalid={!isTimeKnown}
            onInput={(event) => change({ when: event.currentTarget.value })}
          />
        </label>
        <label class="check" title="Typed as it is, apart from other messages: for the agent's own commands, such as /compact.">
          <input type="checkbox" checked={draft.raw} onChange={(event) => change({ raw: event.currentTarget.checked })} />
          alone, as typed
        </label>
        <button class="primary send" type="submit" disabled={isSending || draft.text.trim() === "" || !isTimeKnown || isReadOnly.value}>
          {isSending ? "Sending" : "Send"}
        </button>
      </div>
      <p class="note">{explained} Enter sends, Shift+Enter breaks the line.</p>
      {problem !== null && (
        <p class="problem" role="alert">
          Not sent, the text is kept: {problem.detail} {problem.hint}
        </p>
      )}
    </form>
  );
}

/** The times that the composer proposes. */
export function Times(): JSX.Element {
  return (
    <datalist id="times">
      <option value="now" />
      <option value="when idle" />
      <option value="in 20 min" />
      <option value="in 2 h" />
      <option value="tomorrow 9:00" />
    </datalist>
  );
}
