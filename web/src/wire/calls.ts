/** The HTTP calls of the API. A refusal is a Problem with a stable code and a hint. */
import { keyHeader } from "./key";

export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    readonly hint: string,
    readonly status: number,
  ) {
    super(detail);
    this.name = "Problem";
  }
}

const OFFLINE = new Problem("no-answer", "The daemon does not answer.", "Check that the daemon runs: hark daemon status.", 0);

async function readProblem(answer: Response): Promise<Problem> {
  const body = (await answer.json().catch(() => ({}))) as Partial<Record<"code" | "detail" | "hint" | "title", string>>;
  return new Problem(body.code ?? `http-${answer.status}`, body.detail ?? body.title ?? answer.statusText, body.hint ?? "", answer.status);
}

async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const init: RequestInit = { method, headers: { ...headers, ...keyHeader() }, credentials: "same-origin" };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { ...init.headers, "Content-Type": "application/json" };
  }
  const answer = await fetch(path, init).catch(() => {
    throw OFFLINE;
  });
  if (!answer.ok) throw await readProblem(answer);
  return answer;
}

export async function call<T>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
  return (await (await request(method, path, body, headers)).json()) as T;
}

export const get = <T>(path: string): Promise<T> => call<T>("GET", path);

export const post = <T>(path: string, body: unknown = {}, headers?: Record<string, string>): Promise<T> => call<T>("POST", path, body, headers);

export async function getText(path: string): Promise<string> {
  return (await request("GET", path)).text();
}

export const pathOf = (session: string, rest = ""): string => `/sessions/${encodeURIComponent(session)}${rest}`;

export function describe(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem("unexpected", String(error), "", 0);
}
