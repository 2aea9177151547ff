import { relative } from 'node:path';

const FOREIGN_FRAME = /\n +at .*(node:|node_modules).*/g;
const FILE = /(file:\/\/)?(\/[^\s():]+)(?=:\d+:\d+)/g;

/** A stack without the frames of Node and of packages, and with relative paths. */
export const readableStack = (stack: string): string =>
  stack.replaceAll(FOREIGN_FRAME, '').replaceAll(FILE, (_, __, path: string) => relative(process.cwd(), path));
