import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { auditOf } from '../../../test/audit-entries.ts';
import { createBot, createServer, randomPlatformId } from '../../../test/harness.ts';
import { listMembers, type Place } from '../../../test/member-rows.ts';
import { type PeopleScene, startPeopleScene } from '../../../test/people-scene.ts';
import { putVisit } from '../../../test/way-in-rows.ts';
import { findTokens } from '../vault/queries.ts';

let scene: PeopleScene;
let keys: CryptoKeyPair;
let place: Place;
let botId: string;
beforeAll(async () => {
  scene = await startPeopleScene();
  keys = await newKeys();
  ({ place, botId } = await newBot(keys));
}, 60_000);
afterAll(() => scene.stop());

const newKeys = () => crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);

const newBot = async ({ publicKey }: CryptoKeyPair) => {
  const owner = await scene.service.newTenant();
  const raw = await crypto.subtle.exportKey('raw', publicKey);
  const customBotId = await createBot(owner, { publicKey: Buffer.from(raw).toString('hex') });
  const serverId = await createServer(owner, { customBotId });
  return { place: { owner, serverId }, botId: customBotId };
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
  return scene.send(`/platform/events/${to}`, {
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

describe('the platform’s word that a person removed the application', () => {
  test('erases their tokens at once, marks them revoked, withdraws consent and is audited', async () => {
    const platformId = randomPlatformId();
    const { owner } = await scene.addMember(place, platformId);
    const other = await scene.addMember(place, randomPlatformId());
    await putVisit(scene.service.db, place, botId, platformId);
    expect((await send(deauthorized(platformId))).status).toBe(204);
    expect(await findTokens(scene.service.db, owner)).toBeUndefined();
    expect(await findTokens(scene.service.db, other.owner)).toBeDefined();
    const { data } = (await listMembers(place, { search: platformId })).body;
    expect(data).toMatchObject([{ tokenStatus: 'REVOKED', pullable: false, consentedAt: null }]);
    const { $client: client } = scene.service.db;
    const visits =
      await client`select 1 from verification_passages where platform_id = ${platformId}`;
    expect(visits).toHaveLength(0);
    const [entry] = (await auditOf(place.owner)).data;
    expect(entry).toMatchObject({
      action: 'member.deauthorize',
      subject: { type: 'member', id: platformId },
    });
    expect(JSON.stringify(entry)).not.toContain('named-in-the-event');
  });

  test('told again changes and audits nothing more', async () => {
    const platformId = randomPlatformId();
    await scene.addMember(place, platformId);
    const event = deauthorized(platformId);
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(event)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
    const entries = (await auditOf(place.owner)).data.filter(
      (entry: { subject: { id: string } }) => entry.subject.id === platformId,
    );
    expect(entries).toHaveLength(1);
  });

  test('told late does not undo what they agreed to since', async () => {
    const platformId = randomPlatformId();
    const { owner } = await scene.addMember(place, platformId);
    const before = new Date(Date.now() - 60_000);
    expect((await send(deauthorized(platformId, before))).status).toBe(204);
    expect(await findTokens(scene.service.db, owner)).toBeDefined();
    const { data } = (await listMembers(place, { search: platformId })).body;
    expect(data[0].pullable).toBe(true);
  });

  test('reaches only what was given to that bot', async () => {
    const platformId = randomPlatformId();
    const foreign = await newBot(keys);
    await scene.addMember(place, platformId);
    const { owner } = await scene.addMember(foreign.place, platformId);
    await send(deauthorized(platformId));
    expect(await findTokens(scene.service.db, owner)).toBeDefined();
    expect((await listMembers(foreign.place)).body.data[0].pullable).toBe(true);
  });
});

describe('an event', () => {
  test('that only knocks, or tells of something else, is taken note of', async () => {
    const others = [
      { version: 1, type: 0, application_id: '1' },
      { type: 1, event: { type: 'ENTITLEMENT_CREATE', timestamp: 'x', data: {} } },
      { type: 9 },
      {},
      [],
    ];
    for (const body of others) expect((await send(body)).status).toBe(204);
  });

  test('that is not what it says is refused', async () => {
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
  ])('signed %s is refused like all the others', async (_, wish) => {
    const answer = await send({ type: 0 }, await wish());
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ error: 'The signature does not fit' });
  });

  test('for a bot whose public key is none is refused', async () => {
    for (const publicKey of ['not hex', 'f'.repeat(64), '0'.repeat(64)]) {
      const owner = await scene.service.newTenant();
      const answer = await send({ type: 0 }, { to: await createBot(owner, { publicKey }) });
      expect(answer.status).toBe(401);
    }
  });

  test('of more than 64 KiB is not read', async () => {
    expect((await send({ type: 0, filler: 'x'.repeat(65_536) })).status).toBe(400);
    expect((await send({ type: 0, filler: 'x'.repeat(60_000) })).status).toBe(204);
  });
});
