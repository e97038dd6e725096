import { Secret } from '../../kernel/secret.ts';
import { StorageUnavailable } from './blob-store.ts';

export type S3Credentials = {
  accessKeyId: string;
  secretAccessKey: Secret;
  /** Of credentials that end. */
  sessionToken?: Secret;
};

/** Asked before every request. `mustRenew` after the store called the last ones expired. */
export type S3CredentialSource = (need: { mustRenew: boolean }) => Promise<S3Credentials>;

export const fixedCredentials =
  (credentials: S3Credentials): S3CredentialSource =>
  async () =>
    credentials;

/**
 * For each of three attempts at Amazon's token service, which the package would wait for without an end.
 * The other places answer within a second or not at all.
 */
const tokenTimes = { connectionTimeout: 2000, requestTimeout: 5000, throwOnRequestTimeout: true };

/**
 * Credentials that the machine has, found as every AWS SDK finds them: a profile in AWS's files, a web
 * identity, the container's or the instance's role. The package keeps them until five minutes before
 * their end, renews them once for all that ask, and goes on with the old ones while that fails.
 */
export const roleCredentials = (region: string): S3CredentialSource => {
  let chain: ReturnType<typeof loadChain> | undefined;
  return async ({ mustRenew }) => {
    chain ??= loadChain(region);
    try {
      const found = await (await chain)({ forceRefresh: mustRenew });
      const { accessKeyId, secretAccessKey, sessionToken } = found;
      return {
        accessKeyId,
        secretAccessKey: new Secret(secretAccessKey),
        ...(sessionToken && { sessionToken: new Secret(sessionToken) }),
      };
    } catch (error) {
      throw noCredentials(error);
    }
  };
};

/** Loaded where it is needed only: it takes 20 MB of memory. */
const loadChain = async (region: string) => {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  return defaultProvider({ clientConfig: { region, requestHandler: tokenTimes } });
};

const noCredentials = (error: unknown): StorageUnavailable => {
  const name = error instanceof Error ? error.name : 'an unknown error';
  return new StorageUnavailable(
    'there are no credentials in BLOB_URL, none in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ' +
      `and asking for those of a profile or role failed with ${name}`,
  );
};
