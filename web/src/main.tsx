/** The dashboard starts here. The key is taken out of the address before anything reads the address. */
import "./wire/key";
import "./styles/base.css";
import "./styles/queue.css";
import "./styles/session.css";
import { effect } from "@preact/signals";
import { render } from "preact";
import { showCount } from "./alerts/badge";
import { registerWorker } from "./alerts/desktop";
import { startTelling } from "./alerts/teller";
import { App } from "./app";
import { countNeedy } from "./attention/order";
import { startKeyboard } from "./state/keyboard";
import { sessions, start, world } from "./state/live";
import { route } from "./state/route";

registerWorker();
startKeyboard();
startTelling();
start();
effect(() => {
  const at = route.value;
  const name = at.page === "session" ? (world.value.sessions.get(at.id)?.name ?? "") : at.page === "queue" ? "" : at.page;
  showCount(countNeedy(sessions.value), name);
});

const page = document.getElementById("page");
if (page !== null) render(<App />, page);
