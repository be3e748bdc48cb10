/** Notifications of the desktop, through the service worker, because some browsers refuse them from the page itself. */

let registration: Promise<ServiceWorkerRegistration | null> | null = null;

export function registerWorker(): void {
  if (!("serviceWorker" in navigator)) return;
  // A worker that is not active yet refuses to show anything.
  registration = navigator.serviceWorker.register("sw.js").then(() => navigator.serviceWorker.ready, () => null);
  navigator.serviceWorker.addEventListener("message", (event: MessageEvent<{ open?: string }>) => {
    if (typeof event.data?.open === "string" && event.data.open.startsWith("#/")) location.hash = event.data.open;
  });
}

export const permission = (): NotificationPermission | "unsupported" =>
  typeof Notification === "undefined" ? "unsupported" : Notification.permission;

export async function askPermission(): Promise<NotificationPermission | "unsupported"> {
  return typeof Notification === "undefined" ? "unsupported" : Notification.requestPermission();
}

export interface Notice {
  readonly title: string;
  readonly body: string;
  /** A later notice with the same tag replaces this one. */
  readonly tag: string;
  /** The address of the page that a click opens. */
  readonly open: string;
}

/** Show a notification; returns an empty text once the browser has taken it, or why it has not. */
export async function show(notice: Notice): Promise<string> {
  if (permission() === "unsupported") return "notifications-unsupported";
  if (permission() !== "granted") return `permission-${permission()}`;
  const worker = await registration;
  if (!worker) return "no-service-worker";
  try {
    await worker.showNotification(notice.title, {
      body: notice.body,
      tag: notice.tag,
      icon: "icons/icon-192.png",
      badge: "icons/badge-96.png",
      silent: true,
      data: { open: notice.open },
    });
    return "";
  } catch (error) {
    return error instanceof Error ? `refused: ${error.message}` : "refused";
  }
}

/** Take back the notification with the tag, because what it says has been seen. */
export async function withdraw(tag: string): Promise<void> {
  const worker = await registration;
  for (const shown of (await worker?.getNotifications({ tag })) ?? []) shown.close();
}
