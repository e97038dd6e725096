import { createLog } from '../kernel/log.ts';
import { type Config, readConfig } from './config.ts';
import { settleDataDir } from './data-dir.ts';
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
  const asked = stopWhenAsked(starting, config.drainMs + stopWithinMs);
  const service = await starting;
  if (asked.toStop) return;
  if (!config.isProduction) process.stdout.write(greeting(config, service));
  log.info({ url: service.url }, 'listening');
};

/** npm passes a signal on that the whole group of processes got already: that is no second one. */
const sameSignalMs = 1000;

/** After the drain. With the usual one it is half a minute: then whoever asked would kill it. */
const stopWithinMs = 22_000;

/** Asked while it still starts, it first finishes that: what it has begun to run must not be left. */
const stopWhenAsked = (starting: Promise<Service>, withinMs: number) => {
  const asked = { toStop: false };
  let askedAt = 0;
  const stop = async (signal: string) => {
    if (asked.toStop) {
      if (performance.now() - askedAt < sameSignalMs) return;
      process.exit(1);
    }
    asked.toStop = true;
    askedAt = performance.now();
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
  return asked;
};

const greeting = (config: Config, { url, platform, demoKey }: Service): string => {
  const { simulatorUrl } = platform;
  const lines = [
    ...(config.isLocal ? [localModeSentence(simulatorUrl), ''] : []),
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

/** Said where it is not the folder that the README and .env.example name. */
const dataLines = ({ dataDir, isDataDirSet }: Config): string[] =>
  isDataDirSet || dataDir === './data'
    ? []
    : [
        `  Data                ${dataDir}`,
        '',
        'The data lies there because the database does not run as root, and its user cannot enter this folder.',
      ];

const localModeSentence = (simulatorUrl: string | undefined): string =>
  simulatorUrl
    ? 'Holdfast runs in local mode: on loopback only, with a pretend platform. Nothing leaves this machine.'
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
