import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { cleanMessage, describeError } from './describe-error.ts';

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

const errorIn = (subject: unknown): Error | undefined => {
  if (subject instanceof Error) return subject;
  const isNamed = typeof subject === 'object' && subject !== null && 'err' in subject;
  return isNamed && subject.err instanceof Error ? subject.err : undefined;
};

const options = {
  base: undefined,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label: string) => ({ level: label }) },
  serializers: { err: (error: unknown) => describeError(error) },
  hooks: {
    /** Where nobody says what happened, pino repeats the error's own message: then the cleaned one. */
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
      const [subject, ...words] = args;
      const error = errorIn(subject);
      const named = subject === error ? { err: error } : subject;
      const isSilent = error !== undefined && words.length === 0;
      method.apply(this, isSilent ? [named, cleanMessage(error)] : args);
    },
  },
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
