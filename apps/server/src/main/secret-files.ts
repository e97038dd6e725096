import { closeSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../kernel/describe-error.ts';

/**
 * The settings that are secret, or addresses that may contain a password. Each may be given as a file
 * instead, by its name with `_FILE`: what is in the environment is seen by whoever may look at the process.
 */
export const secretSettings = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'REDIS_URL',
  'BLOB_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'MASTER_KEYS',
  'PLATFORM_CLIENT_SECRET',
  'CAPTCHA_SECRET',
  'BILLING_SIGNING_SECRET',
  'BILLING_API_KEY',
  'CRYPTO_MERCHANT_SECRET',
  'CRYPTO_API_KEY',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

type Settings = Record<string, string | undefined>;

/** All settings, also those in files, and what is wrong with these. One that is empty is not set. */
export const readSettings = (env: Settings): { given: Settings; problems: string[] } => {
  const direct = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const { settings, problems } = readSecretFiles(direct);
  return { given: { ...direct, ...settings }, problems };
};

/** The same for another process, which then reads no file. */
export const settleSettings = (env: Settings): Record<string, string> => {
  const fileNames = secretSettings.map((name) => `${name}_FILE`);
  const isSettled = (entry: [string, string | undefined]): entry is [string, string] =>
    entry[1] !== undefined && !fileNames.includes(entry[0]);
  return Object.fromEntries(Object.entries(readSettings(env).given).filter(isSettled));
};

/** The settings that files give, and a sentence for every file that cannot be used. */
export const readSecretFiles = (given: Settings): { settings: Settings; problems: string[] } => {
  const settings: Settings = {};
  const problems: string[] = [];
  for (const name of secretSettings) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    const read = given[name] === undefined ? readSecret(path) : bothGiven(name);
    if ('value' in read) settings[name] = read.value;
    else problems.push(`${name}_FILE: ${read.problem}`);
  }
  return { settings, problems };
};

type Read = { value: string } | { problem: string };

const bothGiven = (name: string): Read => ({ problem: `${name} is set as well: set one of them` });

/** Editors and `echo` end a file with a newline that no secret ends with. */
const readSecret = (path: string): Read => {
  try {
    const bytes = readAtMost(path, largestSecretBytes + 1);
    if (bytes.length > largestSecretBytes) {
      return { problem: `${path} has more than ${largestSecretBytes} bytes` };
    }
    const value = bytes.toString('utf8').replace(/[\r\n]+$/, '');
    return value === '' ? { problem: `${path} is empty` } : { value };
  } catch (error) {
    return { problem: `${path} cannot be read (${errorCode(error) ?? 'unknown reason'})` };
  }
};

const largestSecretBytes = 65_536;

/** A pipe does not say how long it is, and a device may never end. */
const readAtMost = (path: string, most: number): Buffer => {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(most);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, most - length, null);
      length += read;
      if (read === 0 || length === most) return bytes.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
};
