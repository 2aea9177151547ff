import { describe, expect, test } from '@jest/globals';
import { parseTrace } from '#shared/platform/telemetry/invocation.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${ID}-00f067aa0ba902b7-01`;

describe('W3C Trace Context', () => {
  test('a valid trace: passed on unchanged, with its state', () => {
    expect(parseTrace(PARENT, 'a=1,b=2')).toEqual({ traceparent: PARENT, tracestate: 'a=1,b=2' });
    expect(parseTrace(PARENT)).toEqual({ traceparent: PARENT });
  });

  test('a later version of traceparent: passed on as version 00 (Trace Context §4.3)', () => {
    expect(parseTrace(`01-${ID}-00f067aa0ba902b7-01-more`)).toEqual({ traceparent: PARENT });
  });

  test.each([
    undefined,
    '',
    PARENT.toUpperCase(),
    `${PARENT}-more`,
    `${PARENT},${PARENT}`,
    ` ${PARENT}`,
    PARENT.replace(ID, '0'.repeat(32)),
    PARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
    PARENT.replace('00-', 'ff-'),
    PARENT.slice(0, -1),
  ])('the malformed traceparent %j: ignored, as is its state', (traceparent) => {
    expect(parseTrace(traceparent, 'a=1')).toBeUndefined();
  });

  test.each(['', 'a=\n', 'é=1', `a=${'1'.repeat(511)}`])('the invalid tracestate %j: left out', (state) => {
    expect(parseTrace(PARENT, state)).toEqual({ traceparent: PARENT });
  });
});
