import module from 'node:module';
import { fileURLToPath } from 'node:url';

// What Node has compiled once, it finds again at the next start, in this thread and in those that are started from it:
// the embedded SQS and S3 are 170 ms of compiling. It runs what it finds there without a check of who wrote it, so the
// directory is one of the checkout, never Node's default below the temporary files that all users share.
const DIRECTORY = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

const { directory } = module.enableCompileCache?.(DIRECTORY) ?? {};
if (directory) process.env['NODE_COMPILE_CACHE'] ||= directory;
