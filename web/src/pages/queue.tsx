/** The home page: the attention queue. */
import type { JSX } from "preact";
import { divideIntoSections, groupOf, GROUP_LABELS, groupSessions, GROUP_TITLES, isSeen, NEEDY, needsOf, SECTION_TITLES, type Group } from "../attention/order";
import { Composer } from "../composer/composer";
import { HoldButton, SeenButton, SessionActions } from "../parts/actions";
import { Age, Dot } from "../parts/marks";
import { Notes } from "../parts/notes";
import { Questions } from "../parts/questions";
import { Screen } from "../parts/screen";
import { isHelpOpen } from "../state/keyboard";
import { releaseSession } from "../state/actions";
import { isReadOnly, sessions, world } from "../state/live";
import { addressOf } from "../state/route";
import { current, filter, selected, setView, shown, view } from "../state/selection";
import type { Session } from "../wire/types";

export function factsOf(session: Session): string {
  const host = session.host === "" || session.host === "local" ? "" : session.host;
  return [session.agent, host].filter(Boolean).join(" · ");
}

/** Since when the session is in the state that the row shows. */
function sinceOf(session: Session): string | null {
  const [need] = needsOf(session);
  if (need !== undefined) return need.since;
  return session.state === "gone" ? session.gone_at : (session.phase_since ?? session.last_output_at ?? session.created_at);
}

/** What the session wants, in its own words where it has said something. */
function saying(session: Session, group: Group): string {
  const [need] = needsOf(session);
  if (need !== undefined) return need.text;
  if (group === "completed") return session.signal_text;
  return group === "gone" ? session.gone_because : "";
}

function What({ session, group }: { session: Session; group: Group }): JSX.Element {
  const isLoud = NEEDY.has(group) || group === "completed";
  const said = saying(session, group);
  return (
    <div class="what" data-group={group}>
      {isLoud && (
        <p class="need">
          <b>{GROUP_LABELS[group]}</b> {said}
        </p>
      )}
      <p class="last-line">{(!isLoud && said) || session.last_line || "\u00a0"}</p>
    </div>
  );
}

function Row({ session }: { session: Session }): JSX.Element {
  const group = groupOf(session);
  const isHeld = session.do_not_disturb_since !== null;
  return (
    <li class={`row${current.value?.id === session.id ? " selected" : ""}`} onMouseDown={() => (selected.value = session.id)}>
      <Dot group={group} />
      <div class="who">
        <a class="name" href={addressOf.session(session.id)} data-session={session.id} onFocus={() => (selected.value = session.id)}>
          {session.name}
        </a>
        <p class="facts">{factsOf(session)}</p>
      </div>
      <What session={session} group={group} />
      <div class="side">
        {isSeen(session) && NEEDY.has(group) && <span class="tag">seen</span>}
        {session.pending_count > 0 && <span class="tag">{session.pending_count} queued</span>}
        {isHeld && !isReadOnly.value && (
          <button title="A human holds this session" onClick={() => void releaseSession(session)}>
            End the hold
          </button>
        )}
        <Age at={sinceOf(session)} title="since" />
      </div>
    </li>
  );
}

function Tile({ session }: { session: Session }): JSX.Element {
  const group = groupOf(session);
  const [need] = needsOf(session);
  return (
    <li class={`tile${current.value?.id === session.id ? " selected" : ""}`} data-group={group}>
      <header>
        <Dot group={group} />
        <a class="name" href={addressOf.session(session.id)} data-session={session.id} onFocus={() => (selected.value = session.id)}>
          {session.name}
        </a>
        <Age at={sinceOf(session)} title="since" />
      </header>
      {need !== undefined && <p class="need">{need.text}</p>}
      <Screen session={session} count={12} />
    </li>
  );
}

function Sections(): JSX.Element {
  return (
    <>
      {divideIntoSections(shown.value).map(({ section, sessions: members }) => (
        <section class="group" key={section} aria-labelledby={`section-${section}`}>
          <h2 id={`section-${section}`}>
            {SECTION_TITLES[section]} <span>{members.length}</span>
          </h2>
          <ul class={view.value === "tiles" ? "tiles" : "rows"}>
            {members.map((session) => (view.value === "tiles" ? <Tile key={session.id} session={session} /> : <Row key={session.id} session={session} />))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** What the queue says when it has nothing to list. */
function Empty(): JSX.Element {
  if (!world.value.isComplete) return <p class="nothing">Loading the sessions.</p>;
  if (sessions.value.length > 0) return <p class="nothing">No session matches the filter.</p>;
  return (
    <div class="panel nothing">
      <h1>No sessions yet</h1>
      <p>
        Start an agent with <code>hark new claude</code>, or take in one that runs: <code>hark adopt</code>.
      </p>
    </div>
  );
}

function Chips(): JSX.Element {
  const counts = groupSessions(sessions.value);
  const needy = counts.filter(({ group }) => NEEDY.has(group));
  const total = needy.reduce((sum, { sessions: members }) => sum + members.length, 0);
  return (
    <div class="chips" role="group" aria-label="Filter by state">
      <span class="hidden-label" role="status">
        {total === 0 ? "Nobody needs you" : `${total} ${total === 1 ? "needs" : "need"} you`}
      </span>
      {counts.map(({ group, sessions: members }) => {
        const term = `is:${group}`;
        const isOn = filter.value === term;
        return (
          <button key={group} class="chip" aria-pressed={isOn} onClick={() => (filter.value = isOn ? "" : term)}>
            {GROUP_TITLES[group]} <b>{members.length}</b>
          </button>
        );
      })}
    </div>
  );
}

function Bar(): JSX.Element {
  return (
    <div class="queue-bar">
      <label class="hidden-label" for="filter">
        Filter sessions
      </label>
      <input
        id="filter"
        class="filter"
        type="search"
        placeholder="Filter: words, is:working, host:, agent:, -word"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && event.key !== "Enter") return;
          if (event.key === "Escape") filter.value = "";
          event.currentTarget.blur();
        }}
      />
      <Chips />
      <span class="row-of-things">
        <button aria-pressed={view.value === "tiles"} onClick={() => setView(view.value === "tiles" ? "list" : "tiles")}>
          Tiles
        </button>
        <button class="plain" onClick={() => (isHelpOpen.value = true)}>
          <kbd>?</kbd> Keys
        </button>
      </span>
    </div>
  );
}

/** The selected session, beside the list where the page is wide enough. */
function Peek({ session }: { session: Session }): JSX.Element {
  const [need] = needsOf(session);
  const group = groupOf(session);
  return (
    <aside class="peek panel" aria-label={`Selected session ${session.name}`}>
      <header>
        <span class="row-of-things">
          <Dot group={group} />
          <a href={addressOf.session(session.id)}>
            <b>{session.name}</b>
          </a>
          <span class="facts">{factsOf(session)}</span>
        </span>
        <span class="row-of-things">
          <SeenButton session={session} />
          <HoldButton session={session} />
        </span>
      </header>
      {need !== undefined && group !== "question" && (
        <p class="part message-text need" data-group={group}>
          <b>{GROUP_LABELS[group]}</b> {need.text}
        </p>
      )}
      <Questions session={session} />
      <Screen session={session} count={16} />
      <Notes session={session} />
      <div class="part">
        {session.state === "gone" ? <SessionActions session={session} /> : <Composer session={session} />}
      </div>
    </aside>
  );
}

export function QueuePage(): JSX.Element {
  const session = view.value === "list" ? current.value : null;
  return (
    <>
      <h1 class="hidden-label">Sessions</h1>
      <Bar />
      <div class={`queue${session === null ? "" : " has-peek"}`}>
        <div>{shown.value.length === 0 ? <Empty /> : <Sections />}</div>
        {session !== null && <Peek session={session} />}
      </div>
    </>
  );
}
