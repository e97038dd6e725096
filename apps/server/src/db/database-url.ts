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

type DatabaseAddress = {
  /** How long a connection may take to be made, where the URL says so. */
  connectSeconds: number | undefined;
  /** For `Bun.SQL`. */
  bun: { url: string; tls?: { ca?: string; rejectUnauthorized: true } };
  /** For the `pg` driver, which lacks `prefer`: the server is asked whether it offers TLS. */
  pg(): Promise<{ connectionString: string; ssl: PgSsl }>;
};

/**
 * The settings of a connection URL, with libpq's meaning, for both drivers. By themselves they
 * disagree: `pg` takes `prefer` and `require` for `verify-full`. Throws where the URL cannot be used.
 */
export const parseDatabaseUrl = (text: string): DatabaseAddress => {
  const url = new URL(text);
  const { searchParams: params } = url;
  const requested = readMode(params.get('sslmode'));
  const ca = readRootCertificate(params.get('sslrootcert'));
  const connectSeconds = readConnectTimeout(params.get('connect_timeout'));
  refuseUnsupported(params);
  for (const name of ours) params.delete(name);
  const connectionString = url.href;
  // As in libpq, a root certificate makes `require` verify.
  const mode = ca !== undefined && requested === 'require' ? 'verify-ca' : requested;

  params.set('sslmode', mode);
  const verified = { ...(ca !== undefined && { ca }), rejectUnauthorized: true } as const;
  const isVerified = mode === 'verify-ca' || mode === 'verify-full';
  return {
    connectSeconds,
    bun: { url: url.href, ...(isVerified && { tls: verified }) },
    async pg() {
      if (isVerified) return { connectionString, ssl: { ...verified, ...identity(mode, url) } };
      const isPlain = mode === 'disable' || (mode === 'prefer' && !(await offersTls(url)));
      return { connectionString, ssl: isPlain ? false : { rejectUnauthorized: false } };
    },
  };
};

/** What is not passed on to the drivers. */
const ours = ['sslmode', 'sslrootcert', 'channel_binding', 'connect_timeout'];

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
  if (params.get('channel_binding') === 'require') {
    throw new Error(
      'channel_binding=require is not supported: remove it, and use sslmode=verify-full',
    );
  }
};

/** By itself the driver compares the certificate of an IP address with the name "localhost". */
const identity = (mode: SslMode, { hostname }: URL) => ({
  checkServerIdentity: (_: string, certificate: PeerCertificate) =>
    mode === 'verify-full'
      ? checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate)
      : undefined,
});

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
