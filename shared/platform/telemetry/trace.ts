/** A caller's trace (W3C Trace Context). The service passes it on unchanged, because it records no spans. */
export interface Trace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Printable ASCII, at most the length that participants must pass on (W3C Trace Context §3.3.1.5). */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/** A malformed traceparent invalidates both headers (§3.2.2). */
export const parseTrace = (traceparent = '', tracestate = ''): Trace | undefined => {
  const [, version, id, parent, flags, more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  return {
    // A later version is passed on as version 00 (§4.3).
    traceparent: `00-${id}-${parent}-${flags}`,
    ...(TRACESTATE.test(tracestate) && { tracestate }),
  };
};

export const traceId = ({ traceparent }: Trace): string => traceparent.split('-')[1] as string;
