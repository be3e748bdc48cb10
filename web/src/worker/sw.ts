/** The service worker: it shows notifications and opens the page of a notification that is clicked. It keeps no copies of pages. */
export {};
declare const self: ServiceWorkerGlobalScope;

self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
/** Browsers offer to install a page only if its worker answers requests; every request goes to the daemon. */
self.addEventListener("fetch", () => undefined);

async function open(address: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [page] = windows;
  if (page === undefined) {
    await self.clients.openWindow(new URL(address, self.registration.scope).href);
    return;
  }
  page.postMessage({ open: address });
  // A browser that does not let the page come to the front shows the session all the same.
  await page.focus().catch(() => undefined);
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data = event.notification.data as { open?: unknown } | null;
  event.waitUntil(open(typeof data?.open === "string" ? data.open : "#/"));
});
