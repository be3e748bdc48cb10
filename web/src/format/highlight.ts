/** Splits a text into the parts that match the words of a search and the parts between them. */

export interface Part {
  readonly text: string;
  readonly isHit: boolean;
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

export function highlight(text: string, words: string): Part[] {
  const terms = words.split(/\s+/).filter((word) => word !== "").map(escaped);
  if (terms.length === 0) return [{ text, isHit: false }];
  return text
    .split(new RegExp(`(${terms.join("|")})`, "gi"))
    .map((part, index) => ({ text: part, isHit: index % 2 === 1 }))
    .filter((part) => part.text !== "");
}
