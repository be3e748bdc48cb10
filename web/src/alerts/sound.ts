/** The two sounds, made by oscillators. Browsers block sound until the human has clicked or typed in the page. */
import type { Tone } from "./decision";

/** The two notes of each sound, in Hz: falling if a human is wanted, rising if work is done. */
export const NOTES: Readonly<Record<Tone, readonly [number, number]>> = { attention: [880, 660], completion: [523.25, 659.25] };

const NOTE_SECONDS = 0.16;
const RESUME_WITHIN = 400;

let context: AudioContext | null = null;

/** Return a context that runs; null if the browser blocks sound. */
async function runningContext(): Promise<AudioContext | null> {
  context ??= new AudioContext();
  if (context.state === "running") return context;
  const late = new Promise<void>((resolve) => setTimeout(resolve, RESUME_WITHIN));
  await Promise.race([context.resume().catch(() => undefined), late]);
  return (context.state as AudioContextState) === "running" ? context : null;
}

function playNote(audio: AudioContext, frequency: number, at: number, volume: number): OscillatorNode {
  const oscillator = audio.createOscillator();
  const gain = audio.createGain();
  oscillator.type = "sine";
  oscillator.frequency.value = frequency;
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(volume * 0.4, at + 0.015);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + NOTE_SECONDS);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + NOTE_SECONDS);
  return oscillator;
}

/** Play a sound; returns an empty text once it has been heard, or why it was not. */
export async function play(tone: Tone, volume: number): Promise<"" | "audio-blocked" | "no-audio"> {
  if (typeof AudioContext === "undefined") return "no-audio";
  const audio = await runningContext();
  if (audio === null) return "audio-blocked";
  const [first, second] = NOTES[tone];
  playNote(audio, first, audio.currentTime, volume);
  const last = playNote(audio, second, audio.currentTime + NOTE_SECONDS, volume);
  await new Promise<void>((resolve) => {
    last.onended = () => resolve();
    setTimeout(resolve, 2000);
  });
  return "";
}

/** Let sound through: called from a click or a key, the only moments at which browsers allow it. */
export async function unlock(): Promise<void> {
  if (typeof AudioContext !== "undefined") await runningContext();
}
