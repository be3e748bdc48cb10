/** Settings of this browser: sounds, notifications, quiet hours; and who is signed in. */
import "../styles/pages.css";
import { useState } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { TONES, type AlertState, type Tone } from "../alerts/decision";
import { askPermission, permission } from "../alerts/desktop";
import { readQuietHours } from "../alerts/quiet";
import { play } from "../alerts/sound";
import { formatClock } from "../format/time";
import { useLoaded } from "../parts/load";
import { complain, say } from "../state/actions";
import { clock, world } from "../state/live";
import { preferences, setPreferences, toggle } from "../state/preferences";
import { call, get, post } from "../wire/calls";

function Setting({ label, help, children }: { label: string; help: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="setting">
      <div>
        {label}
        <small>{help}</small>
      </div>
      <div class="row-of-things">{children}</div>
    </div>
  );
}

async function tryTone(tone: Tone): Promise<void> {
  const failure = await play(tone, preferences.value.volume);
  if (failure !== "") say("The browser blocks sound in this page.");
}

function Sounds(): JSX.Element {
  const { isMuted, volume, quietHours, mutedStates, mutedSessions } = preferences.value;
  const [quiet, setQuiet] = useState(quietHours);
  const isKnown = readQuietHours(quiet) !== null;
  return (
    <section class="panel" aria-label="Sounds">
      <header>
        <h2>Sounds</h2>
      </header>
      <Setting label="Sound" help="Falling when a human is wanted, rising when work is done.">
        <button onClick={() => void tryTone("attention")}>Attention</button>
        <button onClick={() => void tryTone("completion")}>Completion</button>
        <button aria-pressed={isMuted} onClick={() => setPreferences({ isMuted: !isMuted })}>
          {isMuted ? "Off" : "On"}
        </button>
      </Setting>
      <Setting label="Volume" help="How loud the sounds are.">
        <input
          type="range"
          min="0"
          max="1"
          step="0.05"
          aria-label="Volume"
          value={volume}
          onInput={(event) => setPreferences({ volume: Number(event.currentTarget.value) })}
        />
      </Setting>
      <Setting label="Quiet hours" help="Local time, such as 22:00-07:00. In these hours nothing sounds and nothing is shown.">
        <input
          type="text"
          aria-label="Quiet hours"
          aria-invalid={!isKnown}
          placeholder="22:00-07:00"
          value={quiet}
          onInput={(event) => {
            setQuiet(event.currentTarget.value);
            if (readQuietHours(event.currentTarget.value) !== null) setPreferences({ quietHours: event.currentTarget.value });
          }}
        />
      </Setting>
      <Setting label="States" help="What alerts you.">
        {(Object.keys(TONES) as AlertState[]).map((state) => (
          <label class="check" key={state}>
            <input
              type="checkbox"
              checked={!mutedStates.includes(state)}
              onChange={() => setPreferences({ mutedStates: toggle(mutedStates, state) })}
            />
            {state.replaceAll("_", " ")}
          </label>
        ))}
      </Setting>
      {mutedSessions.length > 0 && (
        <Setting label="Muted sessions" help="These sessions never alert you in this browser.">
          {mutedSessions.map((name) => (
            <button key={name} onClick={() => setPreferences({ mutedSessions: toggle(mutedSessions, name) })}>
              Unmute {name}
            </button>
          ))}
        </Setting>
      )}
    </section>
  );
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  granted: "The browser allows them.",
  denied: "The browser forbids them for this page; its settings can change that.",
  default: "The browser will ask you.",
  unsupported: "This browser has none here. They need https or this machine's own address; on a phone, install the page.",
};

function Notifications(): JSX.Element {
  const { wantsNotifications } = preferences.value;
  const change = async (): Promise<void> => {
    const answer = wantsNotifications ? "granted" : await askPermission();
    setPreferences({ wantsNotifications: !wantsNotifications && answer === "granted" });
  };
  return (
    <section class="panel" aria-label="Notifications">
      <header>
        <h2>Notifications</h2>
      </header>
      <Setting label="Desktop notifications" help={PERMISSIONS[permission()] ?? ""}>
        <button aria-pressed={wantsNotifications} disabled={permission() === "unsupported"} onClick={() => void change()}>
          {wantsNotifications ? "On" : "Off"}
        </button>
      </Setting>
    </section>
  );
}

interface Report {
  readonly sequence: number;
  readonly at: string;
  readonly session_id: string;
  readonly nudge_seq: number;
  readonly channel: string;
  readonly outcome: string;
  readonly reason: string;
}

function Reports(): JSX.Element {
  const { value, problem } = useLoaded(() => get<{ notifications: Report[] }>("/dashboard/notifications?limit=20"), []);
  return (
    <section class="panel" aria-label="What became of alerts">
      <header>
        <h2>What became of alerts</h2>
      </header>
      {problem !== null && <p class="problem">{problem.detail}</p>}
      {value?.notifications.length === 0 && <p class="nothing">No alert yet.</p>}
      {value !== null && value.notifications.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>When</th>
              <th>Session</th>
              <th>How</th>
              <th>Outcome</th>
            </tr>
          </thead>
          <tbody>
            {value.notifications.map((report) => (
              <tr key={report.sequence}>
                <td>{formatClock(report.at, clock.value)}</td>
                <td>{world.value.sessions.get(report.session_id)?.name ?? report.session_id}</td>
                <td>{report.channel}</td>
                <td>
                  {report.outcome}
                  {report.reason !== "" && `: ${report.reason}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface Browser {
  readonly id: string;
  readonly is_read_only: boolean;
  readonly user_agent: string;
  readonly last_seen_at: string;
  readonly is_connected: boolean;
  readonly is_this: boolean;
}

function Browsers(): JSX.Element {
  const { value, problem, reload } = useLoaded(() => get<{ browsers: Browser[] }>("/dashboard/browsers"), []);
  const revoke = async (id: string): Promise<void> => {
    try {
      await call("DELETE", `/dashboard/browsers/${encodeURIComponent(id)}`);
      reload();
    } catch (error) {
      complain(error);
    }
  };
  const leave = async (): Promise<void> => {
    await post("/dashboard/leave").catch(complain);
    location.reload();
  };
  return (
    <section class="panel" aria-label="Browsers">
      <header>
        <h2>Signed-in browsers</h2>
        <button onClick={() => void leave()}>Sign out here</button>
      </header>
      {problem !== null && <p class="problem">{problem.detail}</p>}
      {value?.browsers.map((browser) => (
        <Setting
          key={browser.id}
          label={browser.is_this ? "This browser" : browser.user_agent || browser.id}
          help={`${browser.is_read_only ? "only looking, " : ""}${browser.is_connected ? "connected" : `last seen ${formatClock(browser.last_seen_at, clock.value)}`}`}
        >
          {!browser.is_this && (
            <button class="danger" onClick={() => void revoke(browser.id)}>
              Revoke
            </button>
          )}
        </Setting>
      ))}
    </section>
  );
}

export function SettingsPage(): JSX.Element {
  const { me } = world.value;
  return (
    <>
      <div class="page-head">
        <h1>Settings</h1>
        {me !== null && (
          <span class="muted">
            {me.user}, hark {me.version}
          </span>
        )}
      </div>
      <div class="settings">
        <Sounds />
        <Notifications />
        <Reports />
        <Browsers />
      </div>
    </>
  );
}
