/** Takes escape sequences out of text. */

// eslint-disable-next-line no-control-regex
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]*[0-~])/g;
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g;

export const stripSequences = (text: string): string => text.replaceAll(SEQUENCES, "").replaceAll(CONTROLS, "");
