import { connect, createServer } from 'node:net';
import { eventually } from '../eventually.ts';

export type RedisServer = {
  url: string;
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
};

/** A Redis of the test's own, in memory alone. Stopped and started, it keeps its port. */
export const startRedis = async (): Promise<RedisServer> => {
  const port = await findFreePort();
  const launch = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1'];
    const child = Bun.spawn(['redis-server', ...options, '--save', '', '--appendonly', 'no'], {
      stdout: 'ignore',
      stderr: 'ignore',
    });
    await eventually(5000, () => ping(port));
    return child;
  };
  let child = await launch();
  return {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      child = await launch();
    },
    kill: (signal) => child.kill(signal),
    async stop() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
};

const ping = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('The operating system gave no free port'));
      });
    });
  });
