import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { errorCode } from '../kernel/describe-error.ts';

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

type PgSsl = false | { rejectUnauthorized: false } | VerifiedSsl;
type VerifiedSsl = {
  rejectUnauthorized: true;
  ca?: string;
  checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined;
};

/** One of the machines that an address names. */
export type DatabaseHost = {
  hostname: string;
  port: number;
  /** For `Bun.SQL`. */
  bun: { url: string; tls?: { ca?: string; rejectUnauthorized: true } };
  /** For the `pg` driver, which lacks `prefer`: the server is asked whether it offers TLS. */
  pg(): Promise<{ connectionString: string; ssl: PgSsl }>;
  /** Whether a certificate is this host's, where it must be. */
  checkIdentity(certificate: PeerCertificate): Error | undefined;
};

type DatabaseAddress = {
  /** How long a connection may take to be made, where the URL says so. */
  connectSeconds: number | undefined;
  /** Through a pooler in transaction mode: nothing may stay in the session from one transaction to the next. */
  isTransactionPooled: boolean;
  /** Several where the database has standbys that may take over: `primary/` finds the one that takes writes. */
  hosts: [DatabaseHost, ...DatabaseHost[]];
};

/**
 * The settings of a connection URL, with libpq's meaning, for both drivers. By themselves they
 * disagree: `pg` takes `prefer` and `require` for `verify-full`. Throws where the URL cannot be used.
 */
export const parseDatabaseUrl = (text: string): DatabaseAddress => {
  const [first, ...others] = splitHosts(text);
  const { searchParams: params } = new URL(first);
  refuseUnsupported(params);
  if (others.length > 0 && [first, ...others].some(isSocket)) {
    throw new Error('of several hosts none may be a socket of this machine or without a name');
  }
  return {
    connectSeconds: readConnectTimeout(params.get('connect_timeout')),
    isTransactionPooled: params.get(poolMode) === 'transaction',
    hosts: [hostAt(first), ...others.map(hostAt)],
  };
};

const hostList = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/** An address for each host of the list, which no parser of URLs knows. */
export const splitHosts = (text: string): [string, ...string[]] => {
  const [, before = '', hosts = '', after = ''] = text.match(hostList) ?? [];
  const [first = '', ...others] = hosts.split(',');
  if (others.length === 0) return [text];
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)];
};

const isSocket = (text: string): boolean => /^(%2F|$)/i.test(new URL(text).hostname);

/** Host and port of each, without credentials, for people. */
export const describeHosts = (text: string): string =>
  splitHosts(text)
    .map((one) => new URL(one).host)
    .join(', ');

const hostAt = (text: string): DatabaseHost => {
  const url = new URL(text);
  const { searchParams: params } = url;
  const requested = readMode(params.get('sslmode'));
  const ca = readRootCertificate(params.get('sslrootcert'));
  for (const name of ours) params.delete(name);
  const connectionString = url.href;
  // As in libpq, a root certificate makes `require` verify.
  const mode = ca !== undefined && requested === 'require' ? 'verify-ca' : requested;

  params.set('sslmode', mode);
  const verified = { ...(ca !== undefined && { ca }), rejectUnauthorized: true } as const;
  const isVerified = mode === 'verify-ca' || mode === 'verify-full';
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const checkIdentity = (certificate: PeerCertificate) =>
    mode === 'verify-full' ? checkServerIdentity(hostname, certificate) : undefined;
  return {
    ...{ hostname, checkIdentity },
    port: Number(url.port || 5432),
    bun: { url: url.href, ...(isVerified && { tls: verified }) },
    async pg() {
      // By itself the driver compares the certificate of an IP address with the name "localhost".
      const identity = {
        checkServerIdentity: (_: string, its: PeerCertificate) => checkIdentity(its),
      };
      if (isVerified) return { connectionString, ssl: { ...verified, ...identity } };
      const isPlain = mode === 'disable' || (mode === 'prefer' && !(await offersTls(url)));
      return { connectionString, ssl: isPlain ? false : { rejectUnauthorized: false } };
    },
  };
};

/** Not libpq's but ours: it tells whoever opens a connection what was found out about the address. */
const poolMode = 'pool_mode';

/** The same address, marked as that of a pooler in transaction mode. */
export const markTransactionPooled = (text: string): string => {
  const mark = `${poolMode}=transaction`;
  return `${text}${text.includes('?') ? '&' : '?'}${mark}`;
};

/** What is not passed on to the drivers. */
const ours = [
  ...['sslmode', 'sslrootcert', 'channel_binding', 'connect_timeout', 'target_session_attrs'],
  poolMode,
];

const readMode = (text: string | null): SslMode => {
  if (text === null) return 'prefer';
  const mode = sslModes.find((name) => name === text);
  if (mode) return mode;
  throw new Error(`sslmode=${text} is not supported: use one of ${sslModes.join(', ')}`);
};

const longestConnectSeconds = 60;

const readConnectTimeout = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= longestConnectSeconds) return seconds;
  throw new Error(
    `connect_timeout=${text} is not supported: use whole seconds from 1 to ${longestConnectSeconds}`,
  );
};

/** `system` is libpq's name for the operating system's certificates. */
const readRootCertificate = (file: string | null): string | undefined => {
  if (file === null || file === 'system') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`sslrootcert=${file} cannot be read (${errorCode(error) ?? error})`);
  }
};

/** A parameter that one of the drivers ignores would give less security than requested. */
const refuseUnsupported = (params: URLSearchParams): void => {
  for (const name of ['sslcert', 'sslkey', 'sslcrl', 'ssl']) {
    if (params.has(name)) throw new Error(`${name} is not supported: remove it from the URL`);
  }
  const attributes = params.get('target_session_attrs');
  if (attributes !== null && !['read-write', 'primary'].includes(attributes)) {
    throw new Error(
      `target_session_attrs=${attributes} is not supported: the service writes, so it looks for read-write`,
    );
  }
  if (params.get('channel_binding') === 'require') {
    throw new Error(
      'channel_binding=require is not supported: remove it, and use sslmode=verify-full',
    );
  }
};

const answerWithinMs = 3000;
/** PostgreSQL's SSLRequest message: its length and its code. */
const sslRequest = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);

/** Sends an SSLRequest, as every client with `prefer` does: the server answers S or N. */
const offersTls = async ({ hostname, port }: URL): Promise<boolean> => {
  if (hostname === '') return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), answerWithinMs);
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5432),
    socket: {
      open: (socket) => {
        socket.write(sslRequest);
      },
      data: (_, answer) => resolve(answer[0] === 'S'.charCodeAt(0)),
      close: () => resolve(false),
      connectError: () => resolve(false),
    },
  });
  // An unreachable server is reported by the connection that is opened next.
  connecting.catch(() => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    connecting.then((socket) => socket.end()).catch(() => undefined);
  }
};
