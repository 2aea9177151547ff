import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { jest } from '@jest/globals';

/** How the server responds to the questions for a name. */
export interface Name {
  readonly addresses?: readonly string[];
  /** The name that has the addresses; this one is an alias of it. */
  readonly alias?: string;
  /** A response code of DNS; 2 is SERVFAIL, 3 is NXDOMAIN. */
  readonly code?: number;
  /** Questions for addresses of these families get no response. */
  readonly ignores?: readonly (4 | 6)[];
  /** The response is too long for UDP. */
  readonly isLong?: boolean;
}

export interface NameServer {
  /** The questions, such as `UDP 4 receiver.test`. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

const CNAME = 5;
const TYPES = { 4: 1, 6: 28 } as const;
const NXDOMAIN = 3;
const IS_RESPONSE = 0x8180;
const IS_TRUNCATED = 0x0200;

/** Starts a name server over UDP and TCP, which all resolvers then query; no other name exists. */
export const useNameServer = async (names: Readonly<Record<string, Name>>): Promise<NameServer> => {
  const questions: string[] = [];
  const respond = (query: Buffer, transport: 'UDP' | 'TCP'): Buffer | undefined => {
    const { name, family, end } = parseQuestion(query);
    questions.push(`${transport} ${family} ${name}`);
    const { addresses = [], alias, code = 0, ignores = [], isLong = false } = names[name] ?? { code: NXDOMAIN };
    if (ignores.includes(family)) return undefined;
    const isTruncated = isLong && transport === 'UDP';
    const answers = addresses.filter((one) => isIP(one) === family);
    const records = [
      ...(alias ? [record(name, CNAME, encodeName(alias))] : []),
      ...answers.map((one) => record(alias ?? name, TYPES[family], encodeAddress(one))),
    ];
    const counts = [1, isTruncated ? 0 : records.length, 0, 0].map(uint16);
    const flags = uint16(IS_RESPONSE | code | (isTruncated ? IS_TRUNCATED : 0));
    const question = query.subarray(12, end);
    return Buffer.concat([query.subarray(0, 2), flags, ...counts, question, ...(isTruncated ? [] : records)]);
  };

  const tcp = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        // Each query follows its length, and none is split.
        for (let at = 0; at < chunk.length; at += 2 + chunk.readUInt16BE(at)) {
          const response = respond(chunk.subarray(at + 2), 'TCP');
          if (response) socket.write(Buffer.concat([uint16(response.length), response]));
        }
      });
  });
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', (query, from) => {
    const response = respond(query, 'UDP');
    if (response) udp.send(response, from.port, from.address);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  const close = async () => {
    udp.close();
    tcp.close();
    await once(tcp, 'close');
  };
  const { resolve4 } = Resolver.prototype;
  jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation(function (this: Resolver, name: string) {
    // The servers cannot be set during a query. `resolveName` queries for IPv4 first.
    this.setServers([`127.0.0.1:${port}`]);
    return Reflect.apply(resolve4, this, [name]);
  });
  return { questions, close };
};

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

const parseQuestion = (query: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const family: 4 | 6 = query.readUInt16BE(at + 1) === TYPES[4] ? 4 : 6;
  return { name: labels.join('.').toLowerCase(), family, end: at + 5 };
};

const record = (name: string, type: number, data: Buffer): Buffer =>
  Buffer.concat([encodeName(name), uint16(type), uint16(1), Buffer.alloc(4), uint16(data.length), data]);

const encodeName = (name: string): Buffer =>
  Buffer.concat([...name.split('.'), ''].map((label) => Buffer.from([label.length, ...Buffer.from(label)])));

const encodeAddress = (address: string): Buffer => {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [before = [], after = []] = address.split('::').map((part) => (part ? part.split(':') : []));
  const zeros = Array(8 - before.length - after.length).fill('0');
  return Buffer.concat([...before, ...zeros, ...after].map((group) => uint16(Number.parseInt(group, 16))));
};
