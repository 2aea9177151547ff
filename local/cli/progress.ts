import type { WriteStream } from 'node:tty';

/** Is told of each step that is done. */
export type Progress = () => void;

const WIDTH = 24;
/** A terminal shows no more than this many pictures a second. */
const PICTURES = 20;
/** Elsewhere there is a line for each tenth. */
const LINES = 10;

type Output = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean };

const bar = (part: number): string => '█'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH, '░');

/**
 * Shows how far a task is: a bar that is drawn over itself on a terminal and gone at the end, plain lines elsewhere.
 * @param out standard error, so that what a command prints stays clean
 */
export const progress = (task: string, steps: number, out: Output = process.stderr): Progress => {
  let done = 0;
  let shown = Number.NEGATIVE_INFINITY;
  const draw = () => {
    const isOver = done === steps;
    if (!isOver && performance.now() - shown < 1000 / PICTURES) return;
    shown = performance.now();
    const count = `${done.toLocaleString('en')} of ${steps.toLocaleString('en')}`;
    out.write(isOver ? '\r\u001b[K' : `\r${task} ${bar(done / steps)} ${count}\u001b[K`);
  };
  const say = () => {
    const tenth = Math.floor((done * LINES) / steps);
    if (tenth === Math.floor(((done - 1) * LINES) / steps)) return;
    out.write(`${task}: ${done.toLocaleString('en')} of ${steps.toLocaleString('en')}\n`);
  };
  return () => {
    done += 1;
    if (out.isTTY) draw();
    else say();
  };
};
