interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: every client has its own types of input and output
  readonly middlewareStack: { add(middleware: any, options: any): void };
}

/** The AWS call, numbered from 1, before or after which the process dies. */
export interface Crash {
  readonly number: number;
  readonly when: 'before' | 'after';
}

export interface Crashes {
  /** Plans the next crash, if any, and restarts the numbering of calls. */
  plan(crash?: Crash): void;
  /** The commands called since the last plan. */
  readonly calls: readonly string[];
}

class CrashError extends Error {}

/** Simulates the death of a process at an AWS call: every call fails from then on, until the next plan. */
export const injectCrashes = (clients: readonly Client[]): Crashes => {
  let planned: Crash | undefined;
  let dead = false;
  let calls: string[] = [];
  for (const client of clients) {
    client.middlewareStack.add(
      // biome-ignore lint/suspicious/noExplicitAny: as above
      (next: any, context: any) => async (call: unknown) => {
        if (dead) throw new CrashError();
        calls.push(context.commandName);
        const isHere = calls.length === planned?.number;
        if (isHere && planned?.when === 'before') dead = true;
        if (dead) throw new CrashError();
        const result = await next(call);
        if (isHere) dead = true;
        // Drains the response: an unread response emits an error when its connection ends.
        if (dead) result.response?.body?.on?.('error', () => {}).resume();
        if (dead) throw new CrashError();
        return result;
      },
      { step: 'finalizeRequest', priority: 'low', name: 'crashes' },
    );
  }
  return {
    plan(crash) {
      planned = crash;
      dead = false;
      calls = [];
    },
    get calls() {
      return calls;
    },
  };
};
