/** An expected failure of a command-line tool: printed as one line, without a stack. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** 2 for wrong arguments or settings of a command, 1 for any other error. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Runs a command. An unexpected error is printed with its stack. */
export const run = async (command: () => Promise<void>): Promise<void> => {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof CliError ? error.message : error);
    process.exit(error instanceof CliError ? error.exitCode : 1);
  }
};
