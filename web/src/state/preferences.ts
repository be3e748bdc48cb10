/** What the human has set in this browser: sounds, notifications, quiet hours. */
import { signal } from "@preact/signals";

export interface Preferences {
  readonly isMuted: boolean;
  readonly volume: number;
  readonly quietHours: string;
  readonly wantsNotifications: boolean;
  readonly mutedStates: readonly string[];
  readonly mutedSessions: readonly string[];
}

const KEY = "hark:preferences";

export const DEFAULTS: Preferences = {
  isMuted: false,
  volume: 0.5,
  quietHours: "",
  wantsNotifications: false,
  mutedStates: [],
  mutedSessions: [],
};

/** Read stored preferences; anything that is not one is replaced by its default. */
export function readPreferences(stored: string | null): Preferences {
  try {
    const value: unknown = JSON.parse(stored ?? "{}");
    return typeof value === "object" && value !== null ? { ...DEFAULTS, ...value } : DEFAULTS;
  } catch {
    return DEFAULTS;
  }
}

export const preferences = signal<Preferences>(readPreferences(localStorage.getItem(KEY)));

export function setPreferences(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
  localStorage.setItem(KEY, JSON.stringify(preferences.value));
}

addEventListener("storage", (event) => {
  if (event.key === KEY) preferences.value = readPreferences(event.newValue);
});

/** The list with the item, or without it if it was there. */
export function toggle(list: readonly string[], item: string): string[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}
