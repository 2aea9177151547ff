/** A caller's trace (W3C Trace Context): it is passed on as it came, for the service records no spans of that kind. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Printable ASCII, and the length that every participant must pass on (W3C Trace Context §3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** Reads the headers of a trace; a malformed traceparent counts as none (§3.2.2), and then so does the tracestate. */
export const traceOf = (traceparent = '', tracestate = ''): Trace | undefined => {
  const [, version, id, parent, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return {
    // A later version is passed on as the one that is known here (§4.3).
    traceparent: `00-${id}-${parent}-${flags}`,
    ...(TRACESTATE.test(tracestate) && { tracestate }),
  };
};

/** The trace's own id, which all of its lines have in common. */
export const traceId = ({ traceparent }: Trace): string => traceparent.split('-')[1] as string;
