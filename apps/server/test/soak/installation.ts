import { signingSecret } from '../harness/billing/events.ts';
import { makeFolder, makePlansFile, stopServices } from '../harness/running-service.ts';
import { freePort } from '../harness/service-process.ts';
import { startTestSimulator, type TestSimulator } from '../harness/simulator/start.ts';
import { type KeptPostgres, keepPostgres } from './kept-postgres.ts';
import { type KeptProcess, keepProcess, type Role } from './kept-process.ts';

/**
 * The service as a company runs it: a platform, one PostgreSQL and two processes of each role. The first
 * of each role is left alone, so that its memory can be measured over the whole time; the second gets
 * killed.
 */
export type Installation = {
  simulator: TestSimulator;
  postgres: KeptPostgres;
  processes: KeptProcess[];
  dataDir: string;
  /** Where the pages are, for people; either process serves them. */
  baseUrl: string;
  stop(): Promise<void>;
};

const roles: Role[] = ['api', 'worker', 'gateway'];

export const startInstallation = async (): Promise<Installation> => {
  const simulator = await startTestSimulator();
  const postgres = await keepPostgres();
  const dataDir = await makeFolder();
  const baseUrl = 'http://holdfast.test';
  const env = {
    ...{ BASE_URL: baseUrl, TRUSTED_PROXIES: '127.0.0.1' },
    ...{ DATABASE_URL: postgres.url, DATA_DIR: dataDir, PLANS_FILE: await makePlansFile() },
    ...{ PLATFORM_API_URL: simulator.apiUrl, BILLING_SIGNING_SECRET: signingSecret },
    // Two processes of each role have to fit into the hundred connections of a PostgreSQL as it is.
    ...{ DB_POOL: '8', DRAIN_SECONDS: '1' },
  };
  const processes: KeptProcess[] = [];
  for (const role of roles) {
    for (const number of [1, 2]) {
      const name = `${role}-${number}`;
      processes.push(await keepProcess({ name, role, port: freePort(), env }));
    }
  }
  return {
    ...{ simulator, postgres, processes, dataDir, baseUrl },
    async stop() {
      await Promise.all(processes.map((one) => one.stop()));
      await postgres.stop();
      await simulator.stop();
      await stopServices();
    },
  };
};

export const ofRole = ({ processes }: Installation, role: Role): KeptProcess[] =>
  processes.filter((one) => one.role === role);
