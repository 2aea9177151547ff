import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, isIP } from 'node:net';
import { jest } from '@jest/globals';
import packet, { type Answer, type Packet } from 'dns-packet';
import { freeAddress } from '#local/cli/free-address.ts';

/** How the server responds to the questions for a name. */
export interface Name {
  readonly addresses?: readonly string[];
  /** The name that has the addresses; the queried name is an alias of it. */
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
  /** The number of queries of resolvers that have ended. */
  readonly endedQueries: () => number;
  close(): Promise<void>;
}

const { decode, encode, streamDecode, streamEncode, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } =
  packet;

const FAMILIES: Readonly<Record<string, 4 | 6>> = { A: 4, AAAA: 6 };
const NXDOMAIN = 3;

/** Starts a name server over UDP and TCP, which all resolvers then query; no other name exists. */
export const useNameServer = async (names: Readonly<Record<string, Name>>): Promise<NameServer> => {
  const questions: string[] = [];
  const respond = ({ id, questions: [question] = [] }: Packet, transport: 'UDP' | 'TCP'): Packet | undefined => {
    const { name = '', type = '' } = question ?? {};
    const family = FAMILIES[type] as 4 | 6;
    questions.push(`${transport} ${family} ${name.toLowerCase()}`);
    const known = names[name.toLowerCase()] ?? { code: NXDOMAIN };
    const { addresses = [], alias, code = 0, ignores = [], isLong = false } = known;
    if (ignores.includes(family)) return undefined;
    const isTruncated = isLong && transport === 'UDP';
    const records = [
      ...(alias ? [{ type: 'CNAME', name, data: alias }] : []),
      ...addresses.filter((one) => isIP(one) === family).map((data) => ({ type, name: alias ?? name, data })),
    ] as Answer[];
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | code | (isTruncated ? TRUNCATED_RESPONSE : 0);
    return { type: 'response', id, flags, questions: question ? [question] : [], answers: isTruncated ? [] : records };
  };

  const tcp = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        // Each query follows its length, and no query is split.
        for (let at = 0; at < chunk.length; at += 2 + chunk.readUInt16BE(at)) {
          const response = respond(streamDecode(chunk.subarray(at)), 'TCP');
          if (response) socket.write(streamEncode(response));
        }
      });
  });
  const { host, port } = await freeAddress();
  await once(tcp.listen(port, host), 'listening');
  const udp = createSocket('udp4', (query, from) => {
    const response = respond(decode(query), 'UDP');
    if (response) udp.send(encode(response), from.port, from.address);
  });
  udp.bind(port, host);
  await once(udp, 'listening');
  const close = async () => {
    udp.close();
    tcp.close();
    await once(tcp, 'close');
  };
  let ended = 0;
  for (const method of ['resolve4', 'resolve6'] as const) {
    const query = Resolver.prototype[method];
    jest.spyOn(Resolver.prototype, method).mockImplementation(function (this: Resolver, name: string) {
      // The servers cannot be set during a query. `resolveName` queries for IPv4 first.
      if (method === 'resolve4') this.setServers([`${host}:${port}`]);
      return Reflect.apply(query, this, [name]).finally(() => {
        ended += 1;
      });
    });
  }
  return { questions, endedQueries: () => ended, close };
};
