import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Caches compiled code between starts, also for worker threads: compiling the embedded SQS and S3 takes 170 ms. Node
// runs cached code without a check of its author. So the directory is inside the checkout, not in the shared temporary
// directory, which is Node's default.
const DIRECTORY = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url));

const { directory } = module.enableCompileCache?.(DIRECTORY) ?? {};
if (directory) process.env['NODE_COMPILE_CACHE'] ||= directory;
