import {
  startTestService,
  type Tenant,
  type TestService,
} from '../../server/test/harness/service.ts';
import { type CliResult, removeHomes, runCli } from './run-cli.ts';

export type CliService = TestService & {
  url: string;
  /** Runs a command as that account. */
  runAs(tenant: Pick<Tenant, 'key'>, ...args: string[]): Promise<CliResult>;
};

/** The service on a port, for a command line in a process of its own. */
export const startCliService = async (
  options: Parameters<typeof startTestService>[0] = {},
): Promise<CliService> => {
  const service = await startTestService(options);
  const { url, stop } = service.listen();
  return {
    ...service,
    url,
    runAs: ({ key }, ...args) =>
      runCli(args, { env: { HOLDFAST_URL: url, HOLDFAST_API_KEY: key } }),
    async stop() {
      await stop();
      await service.stop();
      removeHomes();
    },
  };
};
