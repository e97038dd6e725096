import { createLog } from '../kernel/log.ts';
import { type Config, readConfig } from './config.ts';
import { settleDataDir } from './local-mode/data-dir.ts';
import { adviseOnNode } from './node-advice.ts';
import { type Service, startService } from './service.ts';

const log = createLog();

const run = async (): Promise<void> => {
  const config = settleDataDir(readConfig(process.env));
  if (!config.isProduction) process.stdout.write('Starting Holdfast …\n');
  const advice = adviseOnNode(process.env.npm_config_user_agent);
  if (advice !== undefined && config.isProduction) log.info(advice);
  else if (advice !== undefined) process.stdout.write(`${advice}\n`);
  const starting = startService(config, log);
  const stopping = stopOnSignal(starting, config.drainMs + stopWithinMs);
  const service = await starting;
  if (stopping.isRequested) return;
  if (!config.isProduction) process.stdout.write(greeting(config, service));
  log.info({ url: service.url }, 'listening');
};

/** npm forwards a signal that the whole process group already got: that is not a second signal. */
const sameSignalMs = 1000;

/** After the drain. With the default drain this adds up to half a minute, after which supervisors kill. */
const stopWithinMs = 22_000;

/** A signal during the start is handled after it: nothing that was started may be left running. */
const stopOnSignal = (starting: Promise<Service>, withinMs: number) => {
  const stopping = { isRequested: false };
  let requestedAt = 0;
  const stop = async (signal: string) => {
    if (stopping.isRequested) {
      if (performance.now() - requestedAt < sameSignalMs) return;
      process.exit(1);
    }
    stopping.isRequested = true;
    requestedAt = performance.now();
    log.info({ signal }, 'stopping: requests in flight finish first');
    setTimeout(() => {
      log.error({ withinMs }, 'did not stop in time: ending without the rest');
      process.exit(1);
    }, withinMs);
    const service = await starting;
    await service.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return stopping;
};

const greeting = (config: Config, { url, platform, demoKey }: Service): string => {
  const { simulatorUrl } = platform;
  const lines = [
    ...(config.isLocal ? [localModeMessage(simulatorUrl), ''] : []),
    `  Service             ${url}`,
    ...(config.servesApi
      ? [`  Dashboard           ${url}/dashboard`, `  API reference       ${url}/docs`]
      : []),
    ...(simulatorUrl
      ? [
          `  Platform simulator  ${simulatorUrl}`,
          `  Mails               ${simulatorUrl}/__sim/outbox`,
        ]
      : [`  Platform            ${platform.apiUrl}`]),
    ...dataLines(config),
    ...(demoKey ? ['', ...demoLines(url, demoKey.reveal())] : []),
  ];
  return `\n${lines.join('\n')}\n\n`;
};

/** Printed if it is not the folder that the README and .env.example name. */
const dataLines = ({ dataDir, isDataDirSet }: Config): string[] =>
  isDataDirSet || dataDir === './data'
    ? []
    : [
        `  Data                ${dataDir}`,
        '',
        'The data lies there because the database does not run as root, and its user cannot enter this folder.',
      ];

const localModeMessage = (simulatorUrl: string | undefined): string =>
  simulatorUrl
    ? 'Holdfast runs in local mode: on loopback only, with a simulated platform. Nothing leaves this machine.'
    : 'Holdfast runs in local mode: on loopback only, with the platform that PLATFORM_API_URL names.';

const demoLines = (url: string, key: string): string[] => [
  'A demo account with a demo community is there:',
  '',
  `  curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/account`,
];

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
