export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls an operation of the engine. */
export type Call = (operation: string, input: object) => Promise<Reply>;
