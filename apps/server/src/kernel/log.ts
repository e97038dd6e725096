import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { describeError, redactedMessage } from './describe-error.ts';
import { currentSpan, logFieldsOf } from './tracing.ts';

export type Log = Logger;

/** Fields of these names are censored, up to two levels deep. */
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
  /** A line that is written within a trace names it. */
  mixin: () => ({ ...logFieldsOf(currentSpan()) }),
  serializers: { err: (error: unknown) => describeError(error) },
  hooks: {
    /** Without a message of ours pino would log the error's own: the redacted one is logged instead. */
    logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
      const [subject, ...message] = args;
      const error = errorIn(subject);
      const named = subject === error ? { err: error } : subject;
      const hasNoMessage = error !== undefined && message.length === 0;
      method.apply(this, hasNoMessage ? [named, redactedMessage(error)] : args);
    },
  },
  redact: {
    paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
    censor: '[secret]',
  },
};

/** JSON lines; readable text on a terminal. */
export const createLog = (destination?: DestinationStream): Log => {
  if (destination) return pino(options, destination);
  if (!process.stdout.isTTY) return pino(options);
  return pino({ ...options, transport: { target: 'pino-pretty', options: { singleLine: true } } });
};
