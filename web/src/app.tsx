/** The frame of every page: the bar at the top, what the page has to say, and the page itself. */
import { useEffect, useState } from "preact/hooks";
import type { ComponentType, JSX } from "preact";
import { countNeedy } from "./attention/order";
import { Times } from "./composer/composer";
import { QueuePage } from "./pages/queue";
import { Dialogs } from "./parts/dialogs";
import { notice } from "./state/actions";
import { connection, isReadOnly, reconnect, sessions } from "./state/live";
import { preferences, setPreferences } from "./state/preferences";
import { route, type Route } from "./state/route";
import { pathOfAddress } from "./wire/key";

type Page = Route["page"];
type Loader = () => Promise<ComponentType>;

/** The pages that are loaded when they are opened. */
const LATER: Partial<Record<Page, Loader>> = {
  session: async () => (await import("./pages/session")).SessionPage,
  message: async () => (await import("./pages/message")).MessagePage,
  overview: async () => (await import("./pages/overview")).OverviewPage,
  away: async () => (await import("./pages/away")).AwayPage,
  search: async () => (await import("./pages/search")).SearchPage,
  settings: async () => (await import("./pages/settings")).SettingsPage,
};

const loaded = new Map<Page, ComponentType>();

function Later({ page }: { page: Page }): JSX.Element {
  const [, show] = useState(0);
  const Content = loaded.get(page);
  useEffect(() => {
    if (loaded.has(page)) return;
    void LATER[page]?.().then((content) => {
      loaded.set(page, content);
      show((count) => count + 1);
    });
  }, [page]);
  return Content === undefined ? <p class="nothing">Loading.</p> : <Content />;
}

function Content(): JSX.Element {
  const { page } = route.value;
  if (page === "queue") return <QueuePage />;
  if (page === "unknown") return <p class="nothing">There is no such page. <a href="#/">Go to the queue.</a></p>;
  return <Later page={page} />;
}

const LINKS: readonly [string, string, readonly Page[]][] = [
  ["#/", "Queue", ["queue", "session", "message"]],
  ["#/away", "Away", ["away"]],
  ["#/overview", "Overview", ["overview"]],
  ["#/search", "Search", ["search"]],
  ["#/settings", "Settings", ["settings"]],
];

const CONNECTIONS = { connecting: "connecting", open: "live", waiting: "reconnecting", "signed-out": "signed out" } as const;

function Top(): JSX.Element {
  const needy = countNeedy(sessions.value);
  const { isMuted } = preferences.value;
  return (
    <header class="top">
      <a class="brand" href="#/">
        <img src="./icons/icon.svg" alt="" />
        hark
      </a>
      <nav aria-label="Pages">
        {LINKS.map(([address, label, pages]) => (
          <a key={address} href={address} aria-current={pages.includes(route.value.page) ? "page" : undefined}>
            {label}
            {label === "Queue" && needy > 0 && (
              <span class="count" aria-label={`${needy} need you`}>
                {needy}
              </span>
            )}
          </a>
        ))}
      </nav>
      <div class="end">
        {isReadOnly.value && <span class="tag">only looking</span>}
        <span class="link-state" data-state={connection.value} role="status">
          {CONNECTIONS[connection.value]}
        </span>
        <button aria-pressed={isMuted} onClick={() => setPreferences({ isMuted: !isMuted })}>
          {isMuted ? "Sound off" : "Sound on"}
        </button>
      </div>
    </header>
  );
}

/** Installed pages have no address bar, so a one-time address can be pasted here. */
function SignedOut(): JSX.Element {
  const [isWrong, setWrong] = useState(false);
  const open = (text: string): void => {
    const path = pathOfAddress(text);
    if (path !== null) location.assign(path);
    else setWrong(text !== "");
  };
  return (
    <div class="banner" role="alert">
      <span>
        This browser is not signed in. Run <code>hark dashboard --print</code>, and open the address or paste it here.
        {isWrong && " That is not such an address."}
      </span>
      <input class="address" aria-label="One-time address" placeholder="http://127.0.0.1:4275/open/…" onInput={(event) => open(event.currentTarget.value)} />
      <button onClick={reconnect}>Try again</button>
    </div>
  );
}

function Banner(): JSX.Element | null {
  if (connection.value === "signed-out") return <SignedOut />;
  if (notice.value === null) return null;
  const { text, problem } = notice.value;
  return (
    <div class="banner" role={problem === null ? "status" : "alert"}>
      <span>
        {text} {problem !== null && problem.hint}
      </span>
      <button class="plain" onClick={() => (notice.value = null)}>
        Close
      </button>
    </div>
  );
}

export function App(): JSX.Element {
  return (
    <div class="frame">
      <Top />
      <Banner />
      <main>
        <Content />
      </main>
      <Dialogs />
      <Times />
    </div>
  );
}
