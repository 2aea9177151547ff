/** An end that was foreseen: one line on standard error says all there is to say. */
export class CliError extends Error {
  override readonly name = 'Failure';
  /** 2 for what was typed wrongly, 1 for anything else. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a command of the shell; what was not foreseen is shown whole. */
export const run = async (command: () => Promise<void>): Promise<void> => {
  try {
    await command();
  } catch (error) {
    console.error(error instanceof CliError ? error.message : error);
    process.exit(error instanceof CliError ? error.exitCode : 1);
  }
};
