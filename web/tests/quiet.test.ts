import { expect, it } from "vitest";
import { isQuietAt, readQuietHours } from "../src/alerts/quiet";

const at = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

const ROWS: [string, string, boolean][] = [
  ["", "03:00", false],
  ["22:00-07:00", "23:00", true],
  ["22:00-07:00", "06:59", true],
  ["22:00-07:00", "07:00", false],
  ["22:00-07:00", "21:59", false],
  ["12:00-13:30", "13:29", true],
  ["12:00-13:30", "13:30", false],
  ["22:00-07:00, 12:00-13:00", "12:30", true],
];

it.each(ROWS)("with the quiet hours %j, %s is quiet: %j", (hours, clock, isQuiet) => {
  expect(isQuietAt(readQuietHours(hours) ?? [], at(clock))).toBe(isQuiet);
});

it.each(["22-7", "25:00-07:00", "22:00-07:61", "night", "22:00-07:00,"])("%j are no quiet hours", (hours) => {
  expect(readQuietHours(hours)).toBeNull();
});
