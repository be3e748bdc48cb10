/** Decides what a key does in the composer. */

export interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly isComposing: boolean;
  readonly keyCode: number;
}

/** While an input method composes, browsers report this key code for every key. */
const COMPOSING = 229;

/** True if the key sends the text. A key that belongs to an input method never sends; Shift+Enter breaks the line. */
export function sends(pressed: Pressed): boolean {
  if (pressed.isComposing || pressed.keyCode === COMPOSING) return false;
  return pressed.key === "Enter" && !pressed.shiftKey && !pressed.altKey;
}
