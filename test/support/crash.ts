/** An SDK client, as far as something can be put into its middleware stack. */
interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: every client has its own types of input and output
  readonly middlewareStack: { add(middleware: any, options: any): void };
}

/** Where the process dies: before or after an AWS call, by its number from 1. */
export interface Crash {
  readonly number: number;
  readonly when: 'before' | 'after';
}

export interface Crashes {
  /** Plans the next crash, if any, and begins to number the calls anew. */
  plan(crash?: Crash): void;
  /** The commands that were called since the last plan. */
  readonly calls: readonly string[];
}

class Died extends Error {}

/** Lets a process die at one of its AWS calls: from then on, until the next plan, no call gets out of it. */
export const injectCrashes = (clients: readonly Client[]): Crashes => {
  let planned: Crash | undefined;
  let dead = false;
  let calls: string[] = [];
  for (const client of clients) {
    client.middlewareStack.add(
      // biome-ignore lint/suspicious/noExplicitAny: as above
      (next: any, context: any) => async (call: unknown) => {
        if (dead) throw new Died();
        calls.push(context.commandName);
        const isHere = calls.length === planned?.number;
        if (isHere && planned?.when === 'before') dead = true;
        if (dead) throw new Died();
        const answer = await next(call);
        if (isHere) dead = true;
        // Nobody reads the answer, which would else fail when its connection ends.
        if (dead) answer.response?.body?.on?.('error', () => {}).resume();
        if (dead) throw new Died();
        return answer;
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
