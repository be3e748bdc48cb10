// hark: written by `hark install opencode`, deleted by `hark uninstall opencode`. What is changed here does not last.
//
// Tells hark what this OpenCode does: when a prompt is taken, a tool is used, a question is asked, and a turn has ended.
import { spawn } from "node:child_process"

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
  last = last.then(() => report(event, { session_id: sessionID, ...payload })).catch(() => {})
}

function textOf(parts) {
  return parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n")
}

export const Hark = async () => {
  if (process.env.HARK_HOOKS) return {}
  return {
    "chat.message": async (input, output) => tell("chat.message", input.sessionID, { prompt: textOf(output.parts) }),
    "tool.execute.before": async (input, output) =>
      tell("tool.execute.before", input.sessionID, { tool_name: input.tool, command: output.args?.command }),
    "tool.execute.after": async (input) => tell("tool.execute.after", input.sessionID, { tool_name: input.tool }),
    event: async ({ event }) => {
      const it = event.properties ?? {}
      if (event.type.startsWith("session.") && it.info?.parentID) beside.add(it.info.id)
      if (EVENTS[event.type]) tell(event.type, it.sessionID, EVENTS[event.type](it))
    },
  }
}
