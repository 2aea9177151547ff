/** An expected failure of a command for operators: printed as one line, without a stack. Its exit code is 2. */
export class OperationError extends Error {}

/** Runs a command, which returns its exit code. An unexpected error is printed with its stack. */
export const runOperation = async (command: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await command();
  } catch (error) {
    console.error(error instanceof OperationError ? error.message : error);
    process.exitCode = 2;
  }
};
