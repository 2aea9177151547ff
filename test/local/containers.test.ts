import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from '#local/cli/free-address.ts';
import { forwardPort } from '#local/engines/containers.ts';

/** Only Linux has other addresses of the loopback. */
const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux.each([
  ['the gateway of Docker', '127.0.0.3', '127.0.0.3'],
  ['127.0.0.1, where this machine does not have the gateway', '192.0.2.1', '127.0.0.1'],
])('an engine at another address of the loopback: containers reach it by %s', async (_, gateway, host) => {
  const engine = createServer((_request, response) => response.end('answered'));
  engine.listen(await freePort(host), '127.0.0.2');
  await once(engine, 'listening');
  const { port } = engine.address() as AddressInfo;
  const forwarder = await forwardPort(gateway, new URL(`http://127.0.0.2:${port}`));
  const response = await fetch(`http://${host}:${port}`, { headers: { connection: 'close' } });
  expect(await response.text()).toBe('answered');
  forwarder?.close();
  engine.close();
});
