import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Transaction } from '../../db/connect.ts';
import { readIfPresent } from '../../db/embedded/system.ts';
import { findOrCreateAccount, setPlan } from '../../features/accounts/queries.ts';
import { findHead } from '../../features/audit/chain/queries.ts';
import { recordAudit } from '../../features/audit/queries.ts';
import { systemActor } from '../../features/audit/rules.ts';
import { sealCredentials } from '../../features/bots/credentials/credentials.ts';
import { insertBot } from '../../features/bots/queries.ts';
import { usualRedirectUri } from '../../features/bots/setup/redirect-uri.ts';
import { findLiveKey } from '../../features/keys/authenticate/queries.ts';
import { createApiKey } from '../../features/keys/queries.ts';
import { listSeedMembers } from '../../features/members/seed/queries.ts';
import { generateSeedMembers, storeSeedMembers } from '../../features/members/seed/seed-members.ts';
import { insertServer } from '../../features/servers/queries.ts';
import { systemClock } from '../../kernel/clock.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { newId } from '../../kernel/ids.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Config } from '../config.ts';
import { addPeopleToGuild, askSimulatorForTokens, setUpApplication } from './simulator-client.ts';
import { findSimulator } from './simulator-process.ts';

/** The first user that the simulator's authorize page offers. */
const owner = { platformId: '118264931620716544', username: 'amber.otter' };
const plan = 'BUSINESS';
const members = { count: 40, pullable: 30 };
/** Of those who verified last: in any community some go soon. */
const leftCount = 2;

/** The simulator creates this guild under this name. */
const community = { platformGuildId: '498605767562051584', name: 'Harbour Lights 584' };

const application = {
  clientId: '498605767562051585',
  /** What the simulator shows as the application's key. */
  publicKey: sha256Hex('498605767562051585'),
  name: 'Gatekeeper',
};

type DemoDependencies = { ring: KeyRing } & Pick<
  Config,
  'dataDir' | 'baseUrl' | 'platform' | 'simulatorPort'
>;
type Members = Awaited<ReturnType<typeof generateMembers>>;

/**
 * Creates the demo account of local mode once; later starts leave it as it is. Returns a live key of it:
 * the one kept in the data folder, or a new one if that is lost or revoked.
 *
 * `findOrCreateAccount` locks the account, so one of several services that start together creates it.
 * The key file is written under that lock, too, or each of them would create its own key.
 */
export const prepareDemo = async (
  db: Database,
  dependencies: DemoDependencies,
): Promise<Secret> => {
  // Before the transaction, needed or not: it must not wait for the simulator.
  const url = await findSimulator(dependencies);
  if (url !== undefined) await setUpApplications(url, dependencies);
  const generated = await generateMembers(url, dependencies);
  const { key, created } = await db.transaction(async (tx) => {
    const user = await findOrCreateAccount(tx, owner.platformId, owner.username);
    const { seq: changesSoFar } = await findHead(tx, user.id);
    return {
      created: changesSoFar === 0 ? await createDemo(tx, user, generated, dependencies) : undefined,
      key:
        (await readKey(db, user.id, dependencies)) ?? (await createKey(tx, user.id, dependencies)),
    };
  });
  if (created && url !== undefined) await bringMembersIn(db, url, created);
  return key;
};

/** Who has verified is in the guild, or has left it since. */
const bringMembersIn = async (
  db: Database,
  url: string,
  server: { accountId: string; serverId: string },
): Promise<void> => {
  const people = await listSeedMembers(db, server);
  await addPeopleToGuild(url, community.platformGuildId, people.slice(leftCount));
};

/** The simulator forgets its applications when it stops. */
const setUpApplications = async (
  url: string,
  { baseUrl, platform }: DemoDependencies,
): Promise<void> => {
  const { clientId, name } = application;
  await setUpApplication(url, clientId, { name, redirectUris: [usualRedirectUri(baseUrl)] });
  await setUpApplication(url, platform.signInClient.clientId, { name: 'Holdfast' });
};

const generateMembers = async (url: string | undefined, dependencies: DemoDependencies) => {
  const askForTokens =
    url === undefined ? undefined : askSimulatorForTokens(url, dependencies.ring);
  const range = { first: 0, last: members.count - 1, ...members };
  return generateSeedMembers(systemClock, range, application.clientId, askForTokens);
};

const createDemo = async (
  tx: Transaction,
  user: { id: string; plan: string },
  generated: Members,
  dependencies: DemoDependencies,
) => {
  await setPlan(tx, user.id, plan);
  await recordAudit(tx, {
    accountId: user.id,
    actor: systemActor,
    action: 'plan.set',
    subject: { type: 'user', id: user.id },
    changes: { plan: { from: user.plan, to: plan } },
  });
  const customBotId = await createBot(tx, user.id, dependencies);
  const serverId = await createServer(tx, { accountId: user.id, customBotId }, generated);
  return { accountId: user.id, serverId };
};

const createBot = async (
  tx: Transaction,
  accountId: string,
  dependencies: DemoDependencies,
): Promise<string> => {
  const id = newId();
  const fields = { ...application, redirectUri: usualRedirectUri(dependencies.baseUrl) };
  // In the platform's format: the simulator reads the application's id from the token.
  const botToken = `${Buffer.from(application.clientId).toString('base64')}.demo.bot`;
  const sealed = sealCredentials(
    dependencies.ring,
    { id, accountId },
    { botToken, clientSecret: 'demo' },
  );
  await insertBot(tx, { id, accountId, ...fields, ...sealed });
  const subject = { type: 'bot', id };
  await recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'bot.create',
    subject,
    changes: fields,
  });
  return id;
};

const createServer = async (
  tx: Transaction,
  { accountId, customBotId }: { accountId: string; customBotId: string },
  generated: Members,
): Promise<string> => {
  const id = newId();
  const fields = { ...community, customBotId };
  await insertServer(tx, { id, accountId, ...fields });
  const subject = { type: 'server', id };
  await recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'server.create',
    subject,
    changes: fields,
  });
  await storeSeedMembers(tx, { id, accountId, botId: customBotId }, generated);
  await recordAudit(tx, {
    accountId,
    actor: systemActor,
    action: 'members.seed',
    subject,
    changes: members,
  });
  return id;
};

const keyFile = (dataDir: string) => join(dataDir, 'demo.key');

const readKey = async (db: Database, accountId: string, { dataDir }: DemoDependencies) => {
  const key = (await readIfPresent(keyFile(dataDir)))?.trim();
  const live = key && (await findLiveKey(db, sha256Hex(key)));
  return live && live.accountId === accountId ? new Secret(key) : undefined;
};

const createKey = async (
  tx: Transaction,
  accountId: string,
  { dataDir }: DemoDependencies,
): Promise<Secret> => {
  const request = { name: 'demo', scopes: ['*' as const], expiresAt: null };
  const { key } = await createApiKey(tx, accountId, systemActor, request);
  const file = keyFile(dataDir);
  await writeFile(`${file}.new`, `${key}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return new Secret(key);
};
