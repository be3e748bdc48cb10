/** The title and the icon of the page show how many sessions wait for a human. */

const BASE = "hark";

export function titleFor(count: number, page: string): string {
  const name = page === "" ? BASE : `${page} · ${BASE}`;
  return count > 0 ? `(${count}) ${name}` : name;
}

/** The icon as an SVG document; with a count it has a red disc with the number. */
export function iconFor(count: number): string {
  const mark = `<rect width="32" height="32" rx="8" fill="#1f2937"/><path d="M10 8v16M10 17c0-4 3-6 6-6s6 2 6 6v7" fill="none" stroke="#f8fafc" stroke-width="3.4" stroke-linecap="round"/>`;
  const text = count > 99 ? "99" : String(count);
  const size = text.length > 1 ? 13 : 16;
  const disc = count > 0 ? `<circle cx="22" cy="10" r="10" fill="#dc2626"/><text x="22" y="${10 + size * 0.36}" font-family="sans-serif" font-weight="700" font-size="${size}" fill="#fff" text-anchor="middle">${text}</text>` : "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${mark}${disc}</svg>`;
}

export function showCount(count: number, page: string): void {
  document.title = titleFor(count, page);
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  const address = `data:image/svg+xml,${encodeURIComponent(iconFor(count))}`;
  if (link !== null && link.getAttribute("href") !== address) link.href = address;
  if ("setAppBadge" in navigator) void navigator.setAppBadge(count).catch(() => undefined);
}
