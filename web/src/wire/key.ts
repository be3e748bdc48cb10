/**
 * The key of this origin's pages. A browser shares its cookies with all ports of a host, so the cookie alone opens nothing: the daemon also
 * wants the key, which came once behind the # of the address and stays in localStorage, where no server on another port can read it.
 */

const STORED = "hark:key";
const IN_ADDRESS = /^#key=([0-9a-f]{64})$/;

function takeFromAddress(): void {
  const found = IN_ADDRESS.exec(location.hash)?.[1];
  if (found === undefined) return;
  localStorage.setItem(STORED, found);
  history.replaceState(null, "", location.pathname);
}

takeFromAddress();

export function keyHeader(): Record<string, string> {
  const key = localStorage.getItem(STORED);
  return key === null ? {} : { "Hark-Page-Key": key };
}

/** A page can give a WebSocket no header but the list of protocols. */
export function socketProtocols(): string[] {
  const key = localStorage.getItem(STORED);
  return key === null ? ["hark"] : ["hark", `hark-key.${key}`];
}

const ONE_TIME = /^(?:https?:\/\/[^/\s]+)?\/open\/([\w-]+)\/?$/;

/** Return the path of a one-time address on this server; null if the text is none. */
export function pathOfAddress(text: string): string | null {
  const code = ONE_TIME.exec(text.trim())?.[1];
  return code === undefined ? null : `/open/${code}`;
}
