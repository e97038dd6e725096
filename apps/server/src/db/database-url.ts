import { readFileSync } from 'node:fs';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { offersTls } from './offers-tls.ts';

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

type PgSsl = false | { rejectUnauthorized: false } | VerifiedSsl;
type VerifiedSsl = {
  rejectUnauthorized: true;
  ca?: string;
  checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined;
};

export type DatabaseAddress = {
  /** For `Bun.SQL`. */
  bun: { url: string; tls?: { ca?: string; rejectUnauthorized: true } };
  /** For the `pg` driver, which knows no `prefer`: the server is asked whether it offers TLS. */
  pg(): Promise<{ connectionString: string; ssl: PgSsl }>;
};

/**
 * What a connection URL says about TLS, with the meaning that libpq gives it, for both drivers. Left
 * to themselves they disagree: `pg` takes `prefer` and `require` for `verify-full`.
 * Throws a sentence about a URL that cannot be used.
 */
export const parseDatabaseUrl = (text: string): DatabaseAddress => {
  const url = new URL(text);
  const { searchParams: params } = url;
  const asked = readMode(params.get('sslmode'));
  const ca = readRootCertificate(params.get('sslrootcert'));
  refuseUnsupported(params);
  for (const name of ['sslmode', 'sslrootcert', 'channel_binding']) params.delete(name);
  const connectionString = url.href;
  // As in libpq, a root certificate makes `require` verify.
  const mode = ca !== undefined && asked === 'require' ? 'verify-ca' : asked;

  params.set('sslmode', mode);
  const verified = { ...(ca !== undefined && { ca }), rejectUnauthorized: true } as const;
  const isVerified = mode === 'verify-ca' || mode === 'verify-full';
  return {
    bun: { url: url.href, ...(isVerified && { tls: verified }) },
    async pg() {
      if (isVerified) return { connectionString, ssl: { ...verified, ...identity(mode, url) } };
      const isPlain = mode === 'disable' || (mode === 'prefer' && !(await offersTls(url)));
      return { connectionString, ssl: isPlain ? false : { rejectUnauthorized: false } };
    },
  };
};

const readMode = (text: string | null): SslMode => {
  if (text === null) return 'prefer';
  const mode = sslModes.find((known) => known === text);
  if (mode) return mode;
  throw new Error(`sslmode=${text} is not supported: use one of ${sslModes.join(', ')}`);
};

/** `system` is libpq's word for the certificates that are trusted anyway. */
const readRootCertificate = (file: string | null): string | undefined => {
  if (file === null || file === 'system') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new Error(`sslrootcert=${file} cannot be read (${code})`);
  }
};

/** A parameter that one of the drivers would ignore gives less security than was asked for. */
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

/** The driver would compare the certificate of an IP address with the name "localhost". */
const identity = (mode: SslMode, { hostname }: URL) => ({
  checkServerIdentity: (_: string, certificate: PeerCertificate) =>
    mode === 'verify-full'
      ? checkServerIdentity(hostname.replace(/^\[|\]$/g, ''), certificate)
      : undefined,
});
