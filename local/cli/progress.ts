export type Progress = () => void;

const WIDTH = 24;
const FRAMES_PER_SECOND = 20;
/** Without a terminal, one line for each tenth. */
const PRINTED_STEPS = 10;

const ERASE_LINE = '\r\u001b[K';

/** The bar in the last line of the terminal. */
let shown = '';

/** Adds control codes to a text, so that the terminal shows it above the bar. */
export const aboveBar = (text: string): string => (shown === '' || text === shown ? text : ERASE_LINE + text + shown);

/** Removes the bar of a task that ends early. */
export const removeBar = (): void => {
  if (shown === '') return;
  shown = '';
  process.stderr.write(ERASE_LINE);
};

const bar = (part: number): string => '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '░');

/**
 * Shows the progress of a task on standard error: on a terminal a bar that is removed at the end, otherwise plain
 * lines.
 */
export const progress = (task: string, steps: number): Progress => {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    if (done === steps) return removeBar();
    if (performance.now() - drawnAt < 1000 / FRAMES_PER_SECOND) return;
    drawnAt = performance.now();
    const count = `${done.toLocaleString('en')} of ${steps.toLocaleString('en')}`;
    shown = `\r${task} ${bar(done / steps)} ${count}\u001b[K`;
    process.stderr.write(shown);
  };
  const printLine = () => {
    const tenth = Math.floor((done * PRINTED_STEPS) / steps);
    if (tenth === Math.floor(((done - 1) * PRINTED_STEPS) / steps)) return;
    process.stderr.write(`${task}: ${done.toLocaleString('en')} of ${steps.toLocaleString('en')}\n`);
  };
  return () => {
    done += 1;
    if (process.stderr.isTTY) draw();
    else printLine();
  };
};
