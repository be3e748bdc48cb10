/** Says when the page tells the daemon how much of a stream it has taken in. */

/** The daemon wants to hear at least this often, in bytes. */
export const EVERY = 5_000;

export class Flow {
  #bytes = 0;

  /** Count bytes that are written; true if it is time to report. */
  written(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes < EVERY) return false;
    this.#bytes = 0;
    return true;
  }
}
