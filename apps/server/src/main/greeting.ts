import type { Config } from './config.ts';
import type { Service } from './service.ts';

/** What a start says to whoever watches it, outside production. */
export const greeting = (config: Config, { url, platform, demoKey }: Service): string => {
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
