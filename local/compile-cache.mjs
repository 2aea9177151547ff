import module from 'node:module';

// What Node has compiled once, it finds again at the next start, in this thread and in those that are started from it:
// the embedded SQS and S3 are 170 ms of compiling.
const { directory } = module.enableCompileCache?.() ?? {};
if (directory) process.env['NODE_COMPILE_CACHE'] ??= directory;
