import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Transaction } from '../db/connect.ts';
import { readIfPresent } from '../db/if-present.ts';
import { findHead, recordAudit } from '../features/audit/queries.ts';
import { insertBot } from '../features/bots/queries.ts';
import { sealCredentials } from '../features/bots/sealed.ts';
import { mintKeyFor } from '../features/keys/mint.ts';
import { findLiveKey } from '../features/keys/queries.ts';
import { makeUpMembers, storeMadeUpMembers } from '../features/members/seed.ts';
import { insertServer } from '../features/servers/queries.ts';
import { findOrCreateUser, setPlan } from '../features/accounts/queries.ts';
import { newId } from '../kernel/ids.ts';
import type { KeyRing } from '../kernel/seal.ts';
import { Secret } from '../kernel/secret.ts';
import { sha256Hex } from '../kernel/sha256.ts';
import type { Config } from './config.ts';
import { findSimulator } from './simulator-process.ts';
import { askSimulatorForTokens } from './simulator-tokens.ts';

/** Local mode, as the audit log names it. */
const actor = { type: 'SYSTEM', id: null } as const;

/** The first person whom the simulator's authorize page offers. */
const person = { platformId: '118264931620716544', username: 'amber.otter' };
const plan = 'BUSINESS';
const members = { count: 40, pullable: 30 };

/** The simulator makes up this guild under this name. */
const community = { platformGuildId: '498605767562051584', name: 'Harbour Lights 584' };

const application = {
  clientId: '498605767562051585',
  publicKey: sha256Hex('the demo bot signs nothing'),
  name: 'Gatekeeper',
};

type Tools = { ring: KeyRing } & Pick<Config, 'dataDir' | 'baseUrl' | 'platform' | 'simulatorPort'>;
type Members = Awaited<ReturnType<typeof makeMembers>>;

/**
 * The demo account of local mode, made once; whatever became of it since is left alone. Gives a key
 * of it that works: the one kept in the data folder, or a new one where that is lost or revoked.
 *
 * `findOrCreateUser` locks the account, so that of several services starting together one makes it.
 * The key's file is written under that lock, too, or each of them would mint its own.
 */
export const prepareDemo = async (db: Database, tools: Tools): Promise<Secret> => {
  // Before the lock, whether they are needed or not: nobody shall wait in it for an answer.
  const madeUp = await makeMembers(tools);
  return db.transaction(async (tx) => {
    const user = await findOrCreateUser(tx, person.platformId, person.username);
    const { seq: changesSoFar } = await findHead(tx, user.id);
    if (changesSoFar === 0) await makeDemo(tx, user, madeUp, tools);
    return (await readKey(db, user.id, tools)) ?? mintKey(tx, user.id, tools);
  });
};

const makeMembers = async (tools: Tools) => {
  const url = await findSimulator(tools);
  const askForTokens = url === undefined ? undefined : askSimulatorForTokens(url, tools.ring);
  const crowd = { first: 0, last: members.count - 1, ...members };
  return makeUpMembers(crowd, application.clientId, askForTokens);
};

const makeDemo = async (
  tx: Transaction,
  user: { id: string; plan: string },
  madeUp: Members,
  tools: Tools,
): Promise<void> => {
  await setPlan(tx, user.id, plan);
  await recordAudit(tx, {
    accountId: user.id,
    actor,
    action: 'plan.set',
    subject: { type: 'user', id: user.id },
    changes: { plan: { from: user.plan, to: plan } },
  });
  const customBotId = await makeBot(tx, user.id, tools);
  await makeServer(tx, { accountId: user.id, customBotId }, madeUp);
};

const makeBot = async (tx: Transaction, accountId: string, tools: Tools): Promise<string> => {
  const id = newId();
  const shown = { ...application, redirectUri: `${tools.baseUrl}/verify/callback` };
  // In the platform's form: the simulator knows a bot by the application's id in its token.
  const botToken = `${Buffer.from(application.clientId).toString('base64')}.demo.bot`;
  const sealed = sealCredentials(tools.ring, { id, accountId }, { botToken, clientSecret: 'demo' });
  await insertBot(tx, { id, accountId, ...shown, ...sealed });
  const subject = { type: 'bot', id };
  await recordAudit(tx, { accountId, actor, action: 'bot.create', subject, changes: shown });
  return id;
};

const makeServer = async (
  tx: Transaction,
  { accountId, customBotId }: { accountId: string; customBotId: string },
  madeUp: Members,
): Promise<void> => {
  const id = newId();
  const wish = { ...community, customBotId };
  await insertServer(tx, { id, accountId, ...wish });
  const subject = { type: 'server', id };
  await recordAudit(tx, { accountId, actor, action: 'server.create', subject, changes: wish });
  await storeMadeUpMembers(tx, { id, accountId, botId: customBotId }, madeUp);
  await recordAudit(tx, { accountId, actor, action: 'members.seed', subject, changes: members });
};

const keyFile = (dataDir: string) => join(dataDir, 'demo.key');

const readKey = async (db: Database, accountId: string, { dataDir }: Tools) => {
  const key = (await readIfPresent(keyFile(dataDir)))?.trim();
  const live = key && (await findLiveKey(db, sha256Hex(key)));
  return live && live.accountId === accountId ? new Secret(key) : undefined;
};

const mintKey = async (tx: Transaction, accountId: string, { dataDir }: Tools): Promise<Secret> => {
  const wish = { name: 'demo', scopes: ['*' as const], expiresAt: null };
  const { key } = await mintKeyFor(tx, accountId, actor, wish);
  const file = keyFile(dataDir);
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return new Secret(key);
};
