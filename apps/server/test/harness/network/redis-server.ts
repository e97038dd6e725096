import { connect } from 'node:net';
import { eventually } from '../eventually.ts';
import { freePort } from '../service-process.ts';

export type RedisServer = {
  url: string;
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Sends it one command, such as `CONFIG SET maxmemory 1`; gives the first line of its answer. */
  command(text: string): Promise<string>;
  stop(): Promise<void>;
};

/** A Redis of the test's own, in memory alone. Stopped and started, it keeps its port. */
export const startRedis = async (settings: string[] = []): Promise<RedisServer> => {
  const port = freePort();
  const launch = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--appendonly', 'no'];
    const child = Bun.spawn(['redis-server', ...options, '--save', '', ...settings], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    await eventually(5000, () => send(port, 'PING'));
    return child;
  };
  let child = await launch();
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      child = await launch();
    },
    kill: (signal) => child.kill(signal),
    command: (text) => send(port, text),
    async stop() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
};

const send = (port: number, command: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('data', (bytes) => {
      socket.destroy();
      resolve(bytes.toString().split('\r\n')[0] ?? '');
    });
    socket.once('error', reject);
  });
