import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/harness/eventually.ts';
import { newId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import { blobName } from './blob-store.ts';
import { openBlobStore } from './open-store.ts';
import { roleCredentials } from './s3-credentials.ts';

const rolePath = '/latest/meta-data/iam/security-credentials/';
const name = blobName({ accountId: newId(), hash: 'ab'.repeat(32) });

/** What the next credentials say of their end. */
let lifeSeconds = 3600;
let given = 0;
let asked: string[] = [];
let presented: string[] = [];
let refuseNext: string | undefined;

const credentialsNow = () => {
  given += 1;
  const Expiration = new Date(Date.now() + lifeSeconds * 1000).toISOString();
  return {
    Code: 'Success',
    AccessKeyId: `ROLE${given}`,
    SecretAccessKey: 'canary-secret',
    Token: `token-${given}`,
    Expiration,
  };
};

const assumedRole = () => {
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = credentialsNow();
  return new Response(
    '<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>' +
      `<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>` +
      `<SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>` +
      '</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>',
    { headers: { 'content-type': 'text/xml' } },
  );
};

/** Amazon's metadata services, token service and a bucket, at one address. */
const answer = async (request: Request): Promise<Response> => {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.startsWith('/blobs')) {
    const key = searchParams.get('X-Amz-Credential')?.split('/')[0];
    presented.push(`${key} ${searchParams.get('X-Amz-Security-Token')}`);
    const code = refuseNext;
    refuseNext = undefined;
    return code ? new Response(`<Error><Code>${code}</Code></Error>`, { status: 400 }) : ok();
  }
  asked.push(`${request.method} ${pathname}`);
  if (request.method === 'POST') {
    const sent = new URLSearchParams(await request.text());
    return sent.get('WebIdentityToken') === 'jwt' ? assumedRole() : new Response('', denied);
  }
  if (pathname === '/latest/api/token') return new Response('v2');
  if (pathname === '/role') {
    return request.headers.get('authorization') === 'pod' ? pod() : new Response('', denied);
  }
  if (request.headers.get('x-aws-ec2-metadata-token') !== 'v2') return new Response('', denied);
  return pathname === rolePath ? new Response('backup-role') : Response.json(credentialsNow());
};
const denied = { status: 401 };
const ok = () => new Response('sealed');
const pod = () => Response.json(credentialsNow());

const earlier = { ...process.env };
const clearAws = () => {
  for (const key of Object.keys(process.env)) if (key.startsWith('AWS_')) delete process.env[key];
};
let server: Bun.Server<undefined>;
beforeEach(() => {
  [lifeSeconds, given, asked, presented, refuseNext] = [3600, 0, [], [], undefined];
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer });
  clearAws();
  process.env.AWS_CONFIG_FILE = '/nowhere/config';
  process.env.AWS_SHARED_CREDENTIALS_FILE = '/nowhere/credentials';
});
afterEach(async () => {
  clearAws();
  Object.assign(process.env, earlier);
  await server.stop(true);
});

const openStore = (credentials = {}) => {
  const url = `s3://blobs?endpoint=${server.url.origin}&region=eu-central-1`;
  return openBlobStore({ blobUrl: new Secret(url), dataDir: '/nowhere', credentials });
};
const useInstance = () => {
  process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT = server.url.origin;
};
const isRoleRequest = (line: string) => line === `GET ${rolePath}backup-role`;

describe('without keys, the blob store', () => {
  test('takes those of the instance’s role, asked for once by many requests', async () => {
    useInstance();
    const store = openStore();
    await Promise.all(Array.from({ length: 20 }, () => store.get(name)));
    await store.get(name);
    expect(new Set(presented)).toEqual(new Set(['ROLE1 token-1']));
    expect(asked.filter(isRoleRequest)).toHaveLength(1);
  });

  test('takes those of the container’s role, with the token it was given for that', async () => {
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${server.url.origin}/role`;
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN = 'pod';
    await openStore().get(name);
    expect([asked, presented]).toEqual([['GET /role'], ['ROLE1 token-1']]);
  });

  test('takes those of a web identity, rather than the instance’s', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-identity-'));
    await Bun.write(join(folder, 'token'), 'jwt');
    useInstance();
    process.env.AWS_WEB_IDENTITY_TOKEN_FILE = join(folder, 'token');
    process.env.AWS_ROLE_ARN = 'arn:aws:iam::123456789012:role/backups';
    process.env.AWS_ENDPOINT_URL_STS = server.url.origin;
    await openStore().get(name);
    expect([asked, presented]).toEqual([['POST /'], ['ROLE1 token-1']]);
    await rm(folder, { recursive: true });
  });

  test('renews them before they end, without making a request wait', async () => {
    useInstance();
    lifeSeconds = 60;
    const store = openStore();
    await store.get(name);
    lifeSeconds = 3600;
    await eventually(5000, async () => {
      await store.get(name);
      expect(presented.at(-1)).toBe('ROLE2 token-2');
    });
    expect(presented[1]).toBe('ROLE1 token-1');
    await store.get(name);
    expect(given).toBe(2);
  });

  test('renews them when the store calls them expired, and repeats the request', async () => {
    useInstance();
    const store = openStore();
    await store.get(name);
    refuseNext = 'ExpiredToken';
    expect(Buffer.from((await store.get(name)) ?? []).toString()).toBe('sealed');
    expect(presented).toEqual(['ROLE1 token-1', 'ROLE1 token-1', 'ROLE2 token-2']);
  });

  test('says that there are none', async () => {
    process.env.AWS_EC2_METADATA_DISABLED = 'true';
    const source = roleCredentials('eu-central-1');
    await expect(source({ mustRenew: false })).rejects.toThrow(
      'no credentials in BLOB_URL, none in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, ' +
        'and asking for those of a profile or role failed with CredentialsProviderError',
    );
  });
});

test('keys of the settings go before any role, with their session token', async () => {
  useInstance();
  const sessionToken = new Secret('theirs');
  const store = openStore({ accessKeyId: 'OWN', secretAccessKey: new Secret('s'), sessionToken });
  await store.get(name);
  expect([asked, presented]).toEqual([[], ['OWN theirs']]);
});
