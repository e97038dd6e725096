import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import { createBot, createServer } from '../../../../test/harness/bots-and-servers.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { listMembers, type OwnedServer } from '../../../../test/harness/members.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { insertPendingVerification } from '../../../../test/harness/verification/rows.ts';
import { findTokens } from '../../vault/queries.ts';

let fixture: PeopleFixture;
let keys: CryptoKeyPair;
let server: OwnedServer;
let botId: string;
beforeAll(async () => {
  fixture = await startPeopleFixture();
  keys = await newKeys();
  ({ server, botId } = await newBot(keys));
});
afterAll(() => fixture.stop());

const newKeys = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);

const newBot = async ({ publicKey }: CryptoKeyPair) => {
  const owner = await fixture.service.newTenant();
  const raw = await crypto.subtle.exportKey('raw', publicKey);
  const customBotId = await createBot(owner, { publicKey: Buffer.from(raw).toString('hex') });
  const serverId = await createServer(owner, { customBotId });
  return { server: { owner, serverId }, botId: customBotId };
};

const now = () => String(Math.floor(Date.now() / 1000));

type Sending = {
  to?: string;
  by?: CryptoKeyPair;
  timestamp?: string;
  headers?: Record<string, string>;
  sentBody?: string;
};

const send = async (body: unknown, options: Sending = {}) => {
  const { to = botId, by = keys, timestamp = now(), headers = {} } = options;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signed = Buffer.from(timestamp + text);
  const signature = await crypto.subtle.sign('Ed25519', by.privateKey, signed);
  const sent = options.sentBody ?? text;
  return fixture.send(`/platform/events/${to}`, {
    method: 'POST',
    body: sent,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(sent)),
      'x-signature-ed25519': Buffer.from(signature).toString('hex'),
      'x-signature-timestamp': timestamp,
      ...headers,
    },
  });
};

/** As the platform writes it: its times have no zone. */
const deauthorized = (id: string, at = new Date()) => ({
  version: 1,
  application_id: '1',
  type: 1,
  event: {
    type: 'APPLICATION_DEAUTHORIZED',
    timestamp: at.toISOString().replace('Z', '123'),
    data: { user: { id, username: 'named-in-the-event', avatar: null, discriminator: '0' } },
  },
});

describe('the event that a person removed the application', () => {
  test('erases their tokens at once, marks them revoked, withdraws consent and is audited', async () => {
    const platformId = randomPlatformId();
    const { owner } = await fixture.addMember(server, platformId);
    const other = await fixture.addMember(server, randomPlatformId());
    await insertPendingVerification(fixture.service.db, server, botId, platformId);
    expect((await send(deauthorized(platformId))).status).toBe(204);
    expect(await findTokens(fixture.service.db, owner)).toBeUndefined();
    expect(await findTokens(fixture.service.db, other.owner)).toBeDefined();
    const { data } = (await listMembers(server, { search: platformId })).body;
    expect(data).toMatchObject([{ tokenStatus: 'REVOKED', pullable: false, consentedAt: null }]);
    const { $client: client } = fixture.service.db;
    const visits =
      await client`select 1 from pending_verifications where platform_id = ${platformId}`;
    expect(visits).toHaveLength(0);
    const [entry] = (await auditOf(server.owner)).data;
    expect(entry).toMatchObject({
      action: 'member.deauthorize',
      subject: { type: 'member', id: platformId },
    });
    expect(JSON.stringify(entry)).not.toContain('named-in-the-event');
  });

  test('sent again changes and audits nothing more', async () => {
    const platformId = randomPlatformId();
    await fixture.addMember(server, platformId);
    const event = deauthorized(platformId);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(event)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    const entries = (await auditOf(server.owner)).data.filter(
      (entry: { subject: { id: string } }) => entry.subject.id === platformId,
    );
    expect(entries).toHaveLength(1);
  });

  test('sent late does not undo what they consented to since', async () => {
    const platformId = randomPlatformId();
    const { owner } = await fixture.addMember(server, platformId);
    const before = new Date(Date.now() - 60_000);
    expect((await send(deauthorized(platformId, before))).status).toBe(204);
    expect(await findTokens(fixture.service.db, owner)).toBeDefined();
    const { data } = (await listMembers(server, { search: platformId })).body;
    expect(data[0].pullable).toBe(true);
  });

  test('affects only what was given to that bot', async () => {
    const platformId = randomPlatformId();
    const foreign = await newBot(keys);
    await fixture.addMember(server, platformId);
    const { owner } = await fixture.addMember(foreign.server, platformId);
    await send(deauthorized(platformId));
    expect(await findTokens(fixture.service.db, owner)).toBeDefined();
    expect((await listMembers(foreign.server)).body.data[0].pullable).toBe(true);
  });
});

describe('an event', () => {
  test('that is a ping, or of another type, is acknowledged', async () => {
    const others = [
      { version: 1, type: 0, application_id: '1' },
      { type: 1, event: { type: 'ENTITLEMENT_CREATE', timestamp: 'x', data: {} } },
      { type: 9 },
      {},
      [],
    ];
    for (const body of others) expect((await send(body)).status).toBe(204);
  });

  test('that does not match its type is refused', async () => {
    const event = { type: 'APPLICATION_DEAUTHORIZED', timestamp: 'yesterday', data: {} };
    for (const body of [{ type: 1, event }, 'no json', '']) {
      expect((await send(body)).status).toBe(400);
    }
  });

  test.each<[string, () => Promise<Sending>]>([
    ['by another key', async () => ({ by: await newKeys() })],
    ['over another body', async () => ({ sentBody: '{"type":0 }' })],
    ['five minutes old', async () => ({ timestamp: String(Number(now()) - 301) })],
    ['from the future', async () => ({ timestamp: String(Number(now()) + 330) })],
    ['at no time', async () => ({ timestamp: 'now' })],
    [
      'at another time',
      async () => ({ headers: { 'x-signature-timestamp': String(Number(now()) - 1) } }),
    ],
    ['by nobody', async () => ({ headers: { 'x-signature-ed25519': '' } })],
    ['by zeros', async () => ({ headers: { 'x-signature-ed25519': '0'.repeat(128) } })],
    ['for another bot', async () => ({ to: (await newBot(await newKeys())).botId })],
    ['for no bot', async () => ({ to: crypto.randomUUID() })],
    ['for no id', async () => ({ to: 'x' })],
  ])('signed %s is refused like all the others', async (_, makeRequest) => {
    const answer = await send({ type: 0 }, await makeRequest());
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ error: 'The signature does not fit' });
  });

  test('for a bot whose public key is invalid is refused', async () => {
    for (const publicKey of ['not hex', 'f'.repeat(64), '0'.repeat(64)]) {
      const owner = await fixture.service.newTenant();
      const answer = await send({ type: 0 }, { to: await createBot(owner, { publicKey }) });
      expect(answer.status).toBe(401);
    }
  });

  test('of more than 64 KiB is not read', async () => {
    expect((await send({ type: 0, filler: 'x'.repeat(65_536) })).status).toBe(400);
    expect((await send({ type: 0, filler: 'x'.repeat(60_000) })).status).toBe(204);
  });
});
