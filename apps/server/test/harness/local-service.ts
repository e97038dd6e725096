import { freshDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { makeFolder, request, startService } from './running-service.ts';
import { freePort, type ServiceProcess } from './service-process.ts';

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

/** Local mode with only a database, a data folder and a port set. */
export const startLocalService = async (
  env: Record<string, string> = {},
): Promise<LocalService> => {
  const [databaseUrl, dataDir] = [await freshDatabase(), await makeFolder()];
  const settings = {
    ...{ PLATFORM_API_URL: '', PLATFORM_CLIENT_ID: '', PLATFORM_CLIENT_SECRET: '' },
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, PORT: String(freePort()), ...env },
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
