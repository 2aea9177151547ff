import { once } from 'node:events';
import { pathToFileURL } from 'node:url';

/** A client of Node's inspector (the Chrome DevTools Protocol). */
export interface Debugger {
  /**
   * Sets a breakpoint at a place of a file, which need not be loaded yet.
   * @returns where the program pauses
   */
  breakAt(place: {
    file: string;
    line: number;
    column: number;
  }): Promise<{ url: string; line: number; column: number }>;
  resume(): Promise<unknown>;
  close(): void;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Message = any;

export const openDebugger = async (url: string): Promise<Debugger> => {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const replies = new Map<number, (message: Message) => void>();
  const listeners = new Map<string, (parameters: Message) => void>();
  const scripts = new Map<string, string>();
  listeners.set('Debugger.scriptParsed', ({ scriptId, url }) => scripts.set(scriptId, url));
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result, error } = JSON.parse(data as string);
    if (id !== undefined) replies.get(id)?.(error ?? result);
    else listeners.get(method)?.(params);
  });
  let last = 0;
  const send = (method: string, params: object = {}): Promise<Message> => {
    last += 1;
    socket.send(JSON.stringify({ id: last, method, params }));
    return new Promise((resolve) => replies.set(last, resolve));
  };
  await send('Debugger.enable');
  return {
    async breakAt({ file, line, column }) {
      const paused = new Promise<Message>((resolve) => listeners.set('Debugger.paused', resolve));
      // Like VS Code, this allows a query in the URL of the module.
      const urlRegex = `${pathToFileURL(file).href.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}($|\\?)`;
      await send('Debugger.setBreakpointByUrl', { urlRegex, lineNumber: line, columnNumber: column });
      const { scriptId, lineNumber, columnNumber } = (await paused).callFrames[0].location;
      return { url: scripts.get(scriptId) as string, line: lineNumber, column: columnNumber };
    },
    resume: () => send('Debugger.resume'),
    close: () => socket.close(),
  };
};
