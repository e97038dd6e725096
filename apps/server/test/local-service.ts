import { createServer as listen } from 'node:net';
import { freshDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import type { ServiceProcess } from './process.ts';
import { makeFolder, request, startService } from './scenarios/scene.ts';

export type LocalService = ServiceProcess & {
  databaseUrl: string;
  dataDir: string;
  simulatorUrl: string;
  /** What the platform's simulator is told, and tells. */
  control(method: string, path: string, body?: object): Promise<Reply>;
  /** As after a crash: the same folders, database and port. */
  startAgain(): Promise<LocalService>;
};

// biome-ignore lint/suspicious/noExplicitAny: the simulator's control answers whatever was asked for
type Reply = any;

/** Local mode with nothing set but where it may put things; its pages need to know their own port. */
export const startLocalService = async (
  env: Record<string, string> = {},
): Promise<LocalService> => {
  const [databaseUrl, dataDir] = [await freshDatabase(), await makeFolder()];
  const settings = {
    ...{ PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', PLATFORM_CLIENT_SECRET: '' },
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: await freePort(), ...env },
  };
  const start = async (): Promise<LocalService> => {
    const service = await startService(settings);
    const simulatorUrl = await eventually(5000, () => {
      const found = /Platform simulator +(\S+)\n/.exec(service.output())?.[1];
      if (!found) throw new Error('No simulator');
      return found;
    });
    return {
      ...service,
      ...{ databaseUrl, dataDir, simulatorUrl, startAgain: start },
      control: async (method, path, body) =>
        (await request(simulatorUrl, method, `/__sim${path}`, body ? { body } : {})).body,
    };
  };
  return start();
};

const freePort = async (): Promise<string> => {
  const server = listen();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === 'object' && address ? address.port : 0);
};
