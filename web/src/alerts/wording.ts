/** What alerts say. */
import type { AlertState } from "./decision";

export const TITLES: Readonly<Record<AlertState, string>> = {
  needs_input: "needs input",
  needs_testing: "needs testing",
  error: "reports an error",
  completed: "has finished",
};
