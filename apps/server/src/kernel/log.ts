import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Whatever bears one of these names is a secret, wherever it stands in a log line. */
const secretNames = [
  'authorization',
  'cookie',
  'key',
  'token',
  'botToken',
  'clientSecret',
  'accessToken',
  'refreshToken',
  'password',
];

const options = {
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
  redact: {
    paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    censor: '[secret]',
  },
};

/** JSON lines; readable text when a person is watching. */
export const createLog = (destination?: DestinationStream): Log => {
  if (destination) return pino(options, destination);
  if (!process.stdout.isTTY) return pino(options);
  return pino({ ...options, transport: { target: 'pino-pretty', options: { singleLine: true } } });
};
