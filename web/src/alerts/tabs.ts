/** Which tab tells, and which sessions are being looked at: Web Locks say it to all tabs of the browser, and end with the tab. */

const TELLER = "hark:teller";
const LOOKING = "hark:looking:";

let isTeller = false;

export const holdsLock = (): boolean => isTeller;

/** Wait to become the tab that tells; it stays so until it is closed. */
export function becomeTeller(onBecome: () => void): void {
  if (!("locks" in navigator)) {
    isTeller = true;
    onBecome();
    return;
  }
  void navigator.locks.request(TELLER, () => {
    isTeller = true;
    onBecome();
    return new Promise<never>(() => undefined);
  });
}

let release: (() => void) | null = null;

/** Tell all tabs which session this tab shows to a human; null for none. */
export function lookAt(session: string | null): void {
  release?.();
  release = null;
  if (session === null || !("locks" in navigator)) return;
  void navigator.locks.request(LOOKING + session, { mode: "shared" }, () => new Promise<void>((resolve) => (release = resolve)));
}

/** The sessions that some tab of this browser shows to a human. */
export async function lookedAt(): Promise<ReadonlySet<string>> {
  if (!("locks" in navigator)) return new Set();
  const { held = [] } = await navigator.locks.query();
  return new Set(held.flatMap(({ name = "" }) => (name.startsWith(LOOKING) ? [name.slice(LOOKING.length)] : [])));
}
