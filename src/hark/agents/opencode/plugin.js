// hark: written by `hark install opencode`, deleted by `hark uninstall opencode`. What is changed here does not last.
//
// Tells hark what this OpenCode does: when a prompt is taken, a tool is used, a question is asked, and a turn has ended. And keeps
// what the agent says in a file for hark to read, for as long as OpenCode runs: OpenCode has it in a database of its own.
import { spawn } from "node:child_process"
import { appendFileSync, existsSync, lstatSync, readdirSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"

const PROGRAM = "hark-hook"

// What has happened -> what hark is told of it.
const EVENTS = {
  "permission.asked": (it) => ({ tool_name: it.permission, command: it.metadata?.command }),
  "permission.replied": () => ({}),
  "question.asked": () => ({ tool_name: "question" }),
  "question.replied": () => ({}),
  "question.rejected": () => ({}),
  "session.error": (it) => ({ error: it.error?.name }),
  "session.idle": () => ({}),
}

// Conversations that another has begun for a part of its work. Only what they ask the human matters.
const beside = new Set()

// Messages of the agent's own, in conversations with the human.
const spoken = new Set()

// One report after the other, so that they arrive in order. OpenCode waits for none of them.
let last = Promise.resolve()

function report(event, payload) {
  return new Promise((resolve) => {
    const hook = spawn(PROGRAM, ["opencode", event], { stdio: ["pipe", "ignore", "ignore"] })
    hook.on("error", resolve)
    hook.on("close", resolve)
    hook.stdin.on("error", () => {})
    hook.stdin.end(JSON.stringify(payload))
  })
}

function tell(event, sessionID, payload) {
  if (beside.has(sessionID) && !/^(permission|question)/.test(event)) return
  const record = existsSync(recordPath()) ? { transcript_path: recordPath() } : {}
  last = last.then(() => report(event, { session_id: sessionID, ...record, ...payload })).catch(() => {})
}

// Where the daemon has its sockets; `hark.paths`.
function runtimeDirectory() {
  if (process.env.HARK_HOME) return join(resolve(process.env.HARK_HOME), "run")
  const runtime = process.env.XDG_RUNTIME_DIR ?? ""
  return runtime.startsWith("/") && existsSync(runtime) ? join(runtime, "hark") : `/tmp/hark-${process.getuid()}`
}

function recordPath(pid = process.pid) {
  return join(runtimeDirectory(), `opencode-${pid}.jsonl`)
}

// Whole pieces only. Into a directory of the user's own, or nowhere.
function keep(part) {
  try {
    const facts = lstatSync(runtimeDirectory())
    if (!facts.isDirectory() || facts.uid !== process.getuid()) return
    const line = { type: "words", id: part.id, text: part.text, timestamp: new Date(part.time.end).toISOString() }
    appendFileSync(recordPath(), JSON.stringify(line) + "\n", { mode: 0o600 })
  } catch {}
}

function listen(event, it) {
  if (event === "message.updated" && it.info.role === "assistant" && !beside.has(it.info.sessionID)) spoken.add(it.info.id)
  if (event !== "message.part.updated" || it.part.type !== "text" || !spoken.has(it.part.messageID)) return
  if (it.part.time?.end) keep(it.part)
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (failure) {
    return failure.code !== "ESRCH"
  }
}

// What an OpenCode that has ended has left.
function clean() {
  try {
    const names = readdirSync(runtimeDirectory()).map((name) => /^opencode-(\d+)\.jsonl$/.exec(name))
    for (const [, pid] of names.filter(Boolean)) if (!isRunning(Number(pid))) rmSync(recordPath(pid))
  } catch {}
}

function textOf(parts) {
  return parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
}

export const Hark = async () => {
  if (process.env.HARK_HOOKS) return {}
  clean()
  return {
    "chat.message": async (input, output) => tell("chat.message", input.sessionID, { prompt: textOf(output.parts) }),
    "tool.execute.before": async (input, output) =>
      tell("tool.execute.before", input.sessionID, { tool_name: input.tool, command: output.args?.command }),
    "tool.execute.after": async (input) => tell("tool.execute.after", input.sessionID, { tool_name: input.tool }),
    event: async ({ event }) => {
      const it = event.properties ?? {}
      if (event.type.startsWith("session.") && it.info?.parentID) beside.add(it.info.id)
      listen(event.type, it)
      if (EVENTS[event.type]) tell(event.type, it.sessionID, EVENTS[event.type](it))
    },
  }
}
