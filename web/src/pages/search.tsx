/** Search in messages, answers and signals. */
import "../styles/pages.css";
import { useEffect, useState } from "preact/hooks";
import type { JSX } from "preact";
import type { Group } from "../attention/order";
import { highlight } from "../format/highlight";
import { formatClock } from "../format/time";
import { useLoaded } from "../parts/load";
import { Dot } from "../parts/marks";
import { clock } from "../state/live";
import { addressOf, go, route } from "../state/route";
import { get } from "../wire/calls";

interface Hit {
  readonly kind: string;
  readonly at: string;
  readonly session_id: string;
  readonly session_name: string;
  readonly message_id: string | null;
  readonly text: string;
}

const GROUPS: Readonly<Record<string, Group>> = { message: "working", answer: "completed", signal: "input" };

function HitRow({ hit, words }: { hit: Hit; words: string }): JSX.Element {
  return (
    <li>
      <time dateTime={hit.at}>{formatClock(hit.at, clock.value)}</time>
      <Dot group={GROUPS[hit.kind] ?? "idle"} />
      <div class="text">
        <a href={hit.message_id === null ? addressOf.session(hit.session_id) : addressOf.message(hit.message_id)}>{hit.session_name}</a>{" "}
        <span class="muted">{hit.kind}</span>
        <p>{highlight(hit.text, words).map((part, index) => (part.isHit ? <mark key={index}>{part.text}</mark> : part.text))}</p>
      </div>
    </li>
  );
}

function Results({ words }: { words: string }): JSX.Element {
  const address = `/search?${new URLSearchParams({ q: words, limit: "50" }).toString()}`;
  const { value, problem } = useLoaded(() => get<{ hits: Hit[] }>(address), [words]);
  if (problem !== null) return <p class="problem">{problem.detail}</p>;
  return (
    <div class="panel" aria-live="polite">
      {value === null && <p class="nothing">Searching.</p>}
      {value?.hits.length === 0 && <p class="nothing">Nothing was found.</p>}
      <ul class="feed">
        {value?.hits.map((hit, index) => (
          <HitRow key={index} hit={hit} words={words} />
        ))}
      </ul>
    </div>
  );
}

export function SearchPage(): JSX.Element {
  const at = route.value;
  const words = at.page === "search" ? at.words : "";
  const [typed, setTyped] = useState(words);
  useEffect(() => setTyped(words), [words]);
  return (
    <>
      <h1 class="hidden-label">Search</h1>
      <form
        class="search-form"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(addressOf.search(typed.trim()));
        }}
      >
        <label class="hidden-label" for="search">
          Search messages, answers and signals
        </label>
        <input
          id="search"
          type="search"
          placeholder="Search messages, answers and signals"
          value={typed}
          ref={(field) => {
            if (words === "" && typed === "") field?.focus();
          }}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <button class="primary" type="submit">
          Search
        </button>
      </form>
      {words !== "" && <Results words={words} />}
    </>
  );
}
