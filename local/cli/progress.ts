import type { WriteStream } from 'node:tty';

export type Progress = () => void;

const WIDTH = 24;
const FRAMES_PER_SECOND = 20;
/** Without a terminal, one line for each tenth. */
const PRINTED_STEPS = 10;

type Output = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };

const bar = (part: number): string => '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '░');

/**
 * Shows the progress of a task on standard error: on a terminal a bar that is removed at the end, otherwise plain
 * lines.
 */
export const progress = (task: string, steps: number, out: Output = process.stderr): Progress => {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const isDone = done === steps;
    if (!isDone && performance.now() - drawnAt < 1000 / FRAMES_PER_SECOND) return;
    drawnAt = performance.now();
    const count = `${done.toLocaleString('en')} of ${steps.toLocaleString('en')}`;
    out.write(isDone ? '\r\u001b[K' : `\r${task} ${bar(done / steps)} ${count}\u001b[K`);
  };
  const printLine = () => {
    const tenth = Math.floor((done * PRINTED_STEPS) / steps);
    if (tenth === Math.floor(((done - 1) * PRINTED_STEPS) / steps)) return;
    out.write(`${task}: ${done.toLocaleString('en')} of ${steps.toLocaleString('en')}\n`);
  };
  return () => {
    done += 1;
    if (out.isTTY) draw();
    else printLine();
  };
};
