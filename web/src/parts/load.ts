/** Loads something when a page is shown, and again when it is told to. */
import { useEffect, useState } from "preact/hooks";
import { describe, type Problem } from "../wire/calls";

export interface Loaded<T> {
  readonly value: T | null;
  readonly problem: Problem | null;
  reload(): void;
}

export function useLoaded<T>(load: () => Promise<T>, when: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [count, setCount] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (result) => {
        if (!isWanted) return;
        setValue(result);
        setProblem(null);
      },
      (error: unknown) => isWanted && setProblem(describe(error)),
    );
    return () => {
      isWanted = false;
    };
  }, [...when, count]);
  return { value, problem, reload: () => setCount((before) => before + 1) };
}
