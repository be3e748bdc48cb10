/** Chooses the size of the letters, so that the pane's columns fit the page. The pane itself is never resized for it. */

export const SMALLEST = 8;
export const LARGEST = 14;

export interface Fit {
  readonly fontSize: number;
  /** True if the pane is wider than the page even with the smallest letters. */
  readonly scrolls: boolean;
}

/** Letters shrink for the height of the window only to this size; below it the page scrolls. */
const SMALLEST_FOR_HEIGHT = 11;

/** `cellRatio` is the width of a cell divided by the size of its letters; `forHeight` is the size with which all rows fit the window. */
export function fitLetters(width: number, columns: number, cellRatio: number, forHeight = Infinity): Fit {
  const forWidth = width / (columns * cellRatio);
  const exact = Math.min(forWidth, Math.max(SMALLEST_FOR_HEIGHT, forHeight));
  const fontSize = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(exact * 4) / 4));
  return { fontSize, scrolls: forWidth < SMALLEST };
}
