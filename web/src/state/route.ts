/** The page's addresses: they stand in the hash, because paths belong to the API. */
import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "queue" }
  | { readonly page: "session"; readonly id: string }
  | { readonly page: "message"; readonly id: string }
  | { readonly page: "overview" }
  | { readonly page: "away" }
  | { readonly page: "search"; readonly words: string }
  | { readonly page: "settings" }
  | { readonly page: "unknown" };

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id] = path.split("/").map(decode);
  if (page === "") return { page: "queue" };
  if ((page === "sessions" || page === "messages") && id) return { page: page === "sessions" ? "session" : "message", id };
  if (page === "overview" || page === "away" || page === "settings") return { page };
  if (page === "search") return { page, words: new URLSearchParams(query).get("q") ?? "" };
  return { page: "unknown" };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const addressOf = {
  queue: "#/",
  session: (id: string): string => `#/sessions/${encodeURIComponent(id)}`,
  message: (id: string): string => `#/messages/${encodeURIComponent(id)}`,
  search: (words: string): string => `#/search?${new URLSearchParams({ q: words }).toString()}`,
};

export const route = signal<Route>(readRoute(location.hash));

addEventListener("hashchange", () => {
  route.value = readRoute(location.hash);
});

export function go(address: string): void {
  location.hash = address;
}
