// Runs in Gemini CLI before its own program does. Gemini CLI reads settings below the user's only from a file that is root's. This
// answers for one path, SHOWN, which does not exist, with the file REAL, which is the user's own and holds nothing but hark's
// hooks. For every other path, and everything else, nothing changes; where it does not run, SHOWN is not there and nothing is read.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

function answer(name, tell) {
  const plain = fs[name];
  const asked = (path, ...rest) => (path === SHOWN ? tell(plain, ...rest) : plain(path, ...rest));
  fs[name] = Object.assign(asked, plain);
}
function facts(plain, ...rest) {
  const found = plain(REAL, ...rest);
  return found && Object.assign(found, { uid: 0, mode: found.mode & ~0o022 });
}
answer("existsSync", (plain) => plain(REAL));
answer("readFileSync", (plain, ...rest) => plain(REAL, ...rest));
answer("realpathSync", () => SHOWN);
answer("statSync", facts);
answer("lstatSync", facts);
syncBuiltinESMExports();

// Gemini CLI starts itself a second time, and that process needs it too; the programs that it runs as tools do not.
if (process.env.GEMINI_CLI_NO_RELAUNCH && /gemini/.test(process.argv[1] ?? "")) {
  const others = (process.env.NODE_OPTIONS ?? "").split(" ").filter((word) => word !== `--import=${import.meta.url}`);
  if (others.length) process.env.NODE_OPTIONS = others.join(" ");
  else delete process.env.NODE_OPTIONS;
}
