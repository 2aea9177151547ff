import { once } from 'node:events';
import { type ClientRequest, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { WebhookEvent } from '#client/source/index.ts';
import { eventLine, type Forwarded } from '#local/webhooks/event-line.ts';
import { openReceiver, type Receiver } from '#local/webhooks/receiver.ts';
import { createSecret, sign } from '#shared/platform/webhooks/signature.ts';

const secret = createSecret();
const MIB = 1024 * 1024;

let receiver: Receiver;
const onEvent = jest.fn<(event: WebhookEvent, forwarded: Forwarded | undefined) => void>();
const onReject = jest.fn<(reason: string) => void>();

beforeEach(async () => {
  onEvent.mockReset();
  onReject.mockReset();
  const options = { port: 0, forward: undefined, secret: async () => secret, onEvent, onReject };
  receiver = await openReceiver(options);
});
afterEach(() => receiver.close());

const write = async (request: ClientRequest, chunks: Iterable<Uint8Array | string>): Promise<void> => {
  for (const chunk of chunks) if (!request.write(chunk)) await once(request, 'drain');
};

const post = async (headers: Record<string, string>, chunks: Iterable<Uint8Array | string>) => {
  const request = sendRequest(receiver.url, { method: 'POST', headers });
  const answered = once(request, 'response');
  await write(request, chunks);
  request.end();
  const [response] = await answered;
  return { status: response.statusCode, body: await text(response) };
};

const signed = (body: string): Record<string, string> => {
  const [id, timestamp] = ['evt_1', Math.floor(Date.now() / 1000)];
  const signature = sign({ id, timestamp, body }, [secret]);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
};

describe('the receiver of npm run listen', () => {
  const TOO_LARGE = { status: 413, body: 'The body is larger than 1 MiB.\n' };

  test('a body of 1 MiB: read and verified', async () => {
    const body = JSON.stringify({ text: 'a'.repeat(MIB - JSON.stringify({ text: '' }).length) });
    expect(await post(signed(body), [body])).toEqual({ status: 204, body: '' });
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  test('a body of 1 MiB and one byte, even with a valid signature: 413', async () => {
    const body = JSON.stringify({ text: 'a'.repeat(MIB + 1 - JSON.stringify({ text: '' }).length) });
    expect(await post(signed(body), [body])).toEqual(TOO_LARGE);
    expect(await post({ ...signed(body), 'content-length': String(MIB + 1) }, [body])).toEqual(TOO_LARGE);
    expect(onReject.mock.calls).toEqual(Array(2).fill(['POST /: The body is larger than 1 MiB.']));
    expect(onEvent).not.toHaveBeenCalled();
  });

  test('more connections than the service opens: closed, so that their bodies do not fill the memory', async () => {
    const sockets = Array.from({ length: 150 }, () => connect(Number(new URL(receiver.url).port), '127.0.0.1'));
    // A receiver that accepts the connection asks for the body, and then waits for it.
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n';
    const outcomes = sockets.map((socket) => {
      socket.on('error', () => {}).write(head);
      return new Promise((resolve) =>
        socket.once('data', () => resolve('read')).once('close', () => resolve('closed')),
      );
    });
    const closed = (await Promise.all(outcomes)).filter((outcome) => outcome === 'closed');
    expect(closed).toHaveLength(50);
    for (const socket of sockets) socket.destroy();
  });
});

describe('eventLine', () => {
  const event: WebhookEvent = {
    ...{ id: 1, sequence: 4, type: 'invoice.paid', resource_type: 'invoice', resource_id: 7, version: 2 },
    ...{ changed: ['status'], actor: 'user_1', request_id: 'r', created_at: '', updated_at: '' },
  };
  const plain = (_: unknown, part: string) => part;

  test('an event: becomes one line', () => {
    expect(eventLine(event, plain).replace(/^\S+ /, '')).toBe(
      '#4 invoice.paid  invoice 7  version 2  changed status  by user_1',
    );
  });

  test('control characters, line separators and directions in a text: escaped', () => {
    const actor = 'a\r\n12:00:00 #5\u001b[2J\u009b2J\u0000\u007f\u2028\u2029\u202e\u2066ü 😀';
    const forwarded = { error: 'refused\n\u001b]0;title\u0007' };
    const forged = { ...event, actor, changed: ['\u001b[1A'], type: 'a\nb' as never };
    const line = eventLine(forged, plain, forwarded);
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    expect(line).toContain('#4 a\\u{a}b');
    expect(line).toContain('changed \\u{1b}[1A');
    expect(line).toContain(
      'by a\\u{d}\\u{a}12:00:00 #5\\u{1b}[2J\\u{9b}2J\\u{0}\\u{7f}\\u{2028}\\u{2029}\\u{202e}\\u{2066}ü 😀',
    );
    expect(line).toContain('→ refused\\u{a}\\u{1b}]0;title\\u{7}');
  });

  test('a style: applied to the parts of the line', () => {
    expect(eventLine(event, (color, part) => `<${color}>${part}`)).toContain('<bold>invoice.paid');
  });
});
