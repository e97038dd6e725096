import { Hono } from 'hono';
import { connectDatabase } from '../../apps/server/src/db/connect.ts';
import {
  claimAuthorization,
  findClient,
  findVerificationServer,
  insertPassage,
  raiseAttempt,
} from './queries.ts';

/**
 * The least that could take a newcomer back from the platform: the statements of the service over its
 * own rows, in as many transactions, and its two calls to the platform, as plainly as Bun sends them.
 * No cookie is looked at and no answer of the platform checked, nothing is sealed, limited, logged or
 * measured. It has the service's own connection settings, so that both have as many of them.
 */
const { DATABASE_URL = '', PLATFORM_URL = '', CLIENT_SECRET = '' } = process.env;
const { $client: sql } = connectDatabase(DATABASE_URL, { name: 'reference' });

type Claimed = NonNullable<Awaited<ReturnType<typeof claimAuthorization>>>;
type Pair = { access_token: string; refresh_token: string; scope: string };
type Person = { id: string; username: string; avatar: string | null };
type Known = { pair: Pair; person: Person };

const takeBack = async (
  { state, code }: Record<string, string>,
  ask: (code: string, claimed: Claimed, clientId: string) => Promise<Known>,
): Promise<string> => {
  const stateHash = new Bun.CryptoHasher('sha256').update(state ?? '').digest('hex');
  const claimed = await claimAuthorization(sql, stateHash);
  const server = await findVerificationServer(sql, claimed.server_id);
  const client = await findClient(sql, claimed.bot_id, server.account_id);
  const { pair, person } = await ask(code ?? '', claimed, client.client_id);
  const passage = {
    ...{ browserHash: claimed.browser_hash, attemptId: claimed.attempt_id },
    ...{ accountId: server.account_id, serverId: server.id, botId: claimed.bot_id },
    ...{ platformId: person.id, username: person.username, avatarHash: person.avatar },
    ...{ accessToken: pair.access_token, refreshToken: pair.refresh_token },
    scopes: pair.scope.split(' '),
  };
  await sql.begin(async (tx) => {
    await insertPassage(tx, passage);
    await raiseAttempt(tx, passage);
  });
  return `/verify/${server.id}/check`;
};

const askPlatform = async (code: string, claimed: Claimed, clientId: string): Promise<Known> => {
  const body = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code, code_verifier: claimed.code_verifier },
    ...{ redirect_uri: claimed.redirect_uri, client_id: clientId, client_secret: CLIENT_SECRET },
  });
  const exchanged = await fetch(`${PLATFORM_URL}/oauth2/token`, { method: 'POST', body });
  const pair: Pair = await exchanged.json();
  const authorization = `Bearer ${pair.access_token}`;
  const read = await fetch(`${PLATFORM_URL}/users/@me`, { headers: { authorization } });
  return { pair, person: await read.json() };
};

const askNobody = async (code: string): Promise<Known> => ({
  pair: {
    access_token: code.padEnd(90, 'a'),
    refresh_token: code.padEnd(90, 'r'),
    scope: 'identify',
  },
  person: { id: '118264931620716544', username: 'amber.otter', avatar: null },
});

const app = new Hono();
app.get('/callback', async (context) =>
  context.redirect(await takeBack(context.req.query(), askPlatform), 303),
);
app.get('/callback-alone', async (context) =>
  context.redirect(await takeBack(context.req.query(), askNobody), 303),
);

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch });
process.stdout.write(`{"url":"http://127.0.0.1:${server.port}"}\n`);
