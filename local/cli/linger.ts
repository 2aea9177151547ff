import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** A client that is silent for this time has read the response, or will never read it. */
const SILENCE_MS = 30_000;

/**
 * Ends a connection in two steps (RFC 9112 §9.6): sends the last bytes and closes this side, then discards what the
 * client still sends, until the client closes its side. If the socket were destroyed before, the kernel would reset the
 * connection, and a client that is still sending would lose the response.
 */
export const endConnection = (socket: Socket, lastBytes = ''): void => {
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.end(lastBytes).resume();
};

/** Makes a server end its connections in two steps. Node destroys them, also when a request is still arriving. */
export const endConnectionsOf = (server: Server): void => {
  server.on('connection', (socket) => {
    socket.destroySoon = () => endConnection(socket);
  });
};
