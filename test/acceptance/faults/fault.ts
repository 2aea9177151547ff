/** A mistake in the service: a text of a file, which occurs once, is replaced by another one. */
export type Fault = readonly [what: string, from: string, to: string];

export type FaultsByFile = Readonly<Record<string, readonly Fault[]>>;
