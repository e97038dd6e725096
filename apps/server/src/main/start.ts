import { createLog } from '../kernel/log.ts';
import { readConfig } from './config.ts';
import { startService } from './service.ts';

const log = createLog();

const run = async (): Promise<void> => {
  const config = readConfig(process.env);
  if (config.isLocal) process.stdout.write('Starting Holdfast …\n');
  const service = await startService(config, log);
  process.stdout.write(
    config.isLocal
      ? `Holdfast listens on ${service.url} (local mode: loopback only)\n` +
          `  API reference  ${service.url}/docs\n` +
          `  Mint a key     npm run --silent admin -- create-key --platform-id 1000 --plan BUSINESS --scopes '*' --name first\n\n`
      : '',
  );
  log.info({ url: service.url }, 'listening');

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'stopping: requests in flight finish first');
    await service.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
