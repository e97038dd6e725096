import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { auditOf } from '../../../../test/harness/api-calls.ts';
import {
  type BackupFixture,
  createBackupFixture,
  type OwnedGuild,
} from '../../../../test/harness/backups/fixture.ts';
import { smallDocument } from '../../../../test/harness/backups/small-document.ts';
import { openWithFactor } from '../../../../test/harness/dashboard/session.ts';
import { randomPicture } from '../../../../test/harness/guilds/large-guild.ts';
import {
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import { sharedSimulator, type TestSimulator } from '../../../../test/harness/simulator/start.ts';

let simulator: TestSimulator;
let service: TestService;
let backups: BackupFixture;
beforeAll(async () => {
  simulator = await sharedSimulator();
  service = await startTestService({
    doesWork: ['backups.run', 'backups.import', 'restores.run', 'backups.releasePassing'],
  });
  backups = createBackupFixture(service, simulator);
});
afterAll(() => service.stop());

const pathOf = ({ serverId }: OwnedGuild, rest = '') => `${backups.backupsOf(serverId)}${rest}`;

const documentOf = async (server: OwnedGuild, backupId: string, query = '') => {
  const reply = await server.tenant.call('GET', pathOf(server, `/${backupId}/document${query}`));
  expect(reply.status).toBe(200);
  return reply.body.data;
};

const importInto = (server: OwnedGuild, body: object) =>
  server.tenant.call('POST', pathOf(server, '/import'), { body });

const imported = async (server: OwnedGuild, body: object) => {
  const reply = await importInto(server, body);
  expect(reply.status).toBe(202);
  return backups.ended(server, reply.body.data.id);
};

const completed = async (server: OwnedGuild, body: object): Promise<{ id: string }> => {
  const backup = await imported(server, body);
  expect(backup).toMatchObject({ status: 'completed', error: null, kind: 'MANUAL' });
  return backup;
};

const plan = async (server: OwnedGuild, backupId: string, deleteExtra = true) =>
  (
    await server.tenant.call('POST', pathOf(server, `/${backupId}/plan`), {
      body: { mode: 'REPAIR', deleteExtra },
    })
  ).body.data;

/** By a person with a second factor: no key gives power by a document. */
const restore = async (server: OwnedGuild, backupId: string) => {
  const browser = await openWithFactor(service, server.tenant);
  const path = `/servers/${server.serverId}/backups/${backupId}/restore`;
  const { data } = (await browser.call('POST', path, { mode: 'REPAIR', deleteExtra: true })).body;
  return backups.restored(server, data.id);
};

describe('a document', () => {
  test('makes an empty server the same as the one it was written of, with its pictures', async () => {
    const source = await backups.newServer();
    const [wave, crew, category, hall] = Array.from({ length: 4 }, randomPlatformId);
    const { guildId } = source;
    const picture = randomPicture(100);
    await simulator.control('PUT', `/guilds/${guildId}`, {
      guild: { name: 'Harbour 🦭', icon: 'a1b2' },
      images: { [`icons/${guildId}/a1b2`]: picture, [`emojis/${wave}`]: picture },
      emojis: [{ id: wave, name: 'wave', roles: [crew] }],
      roles: [
        { id: guildId, name: '@everyone', permissions: '1024' },
        { id: crew, name: 'Gäste / Crew', position: 1, permissions: '3' },
      ],
      channels: [
        { id: category, type: 4, name: 'A/B', position: 0 },
        {
          ...{ id: hall, type: 0, name: 'general', position: 1, parent_id: category },
          permission_overwrites: [{ id: crew, type: 0, allow: '3072', deny: '0' }],
        },
        { id: randomPlatformId(), type: 0, name: 'general', position: 2, parent_id: category },
      ],
    });
    const document = await documentOf(source, (await backups.takeBackup(source)).id);
    expect(document.channels[0]).toMatchObject({ type: 'CATEGORY', name: 'A/B' });
    expect(JSON.stringify(document)).not.toContain(crew);

    const target = await backups.newServer(undefined, source.tenant);
    await simulator.control('PUT', `/guilds/${target.guildId}`, {
      channels: [{ id: randomPlatformId(), type: 0, name: 'general', position: 0 }],
    });
    const base = await backups.takeBackup(target);
    const { id } = await completed(target, { document, baseBackupId: base.id });
    expect(await restore(target, id)).toMatchObject({ status: 'completed' });

    const after = await backups.takeBackup(target);
    const withoutBots = ({ roles, ...rest }: typeof document) => ({
      ...rest,
      roles: roles.filter(({ managed }: { managed?: boolean }) => !managed),
    });
    expect(withoutBots(await documentOf(target, after.id))).toEqual(withoutBots(document));
    const again = await completed(target, { document, baseBackupId: after.id });
    expect(await plan(target, again.id)).toMatchObject({
      ...{ create: [], update: [], delete: [], calls: 0 },
    });
  });

  test('is refused with the place of each error', async () => {
    const server = await backups.newServer();
    const [first, ...others] = smallDocument.channels;
    const refused = async (document: object) => {
      const { status, body } = await importInto(server, { document });
      expect(status).toBe(400);
      return body.details.fieldErrors.document;
    };
    expect(await refused({ ...smallDocument, colour: 1 })).toEqual([
      'document: Unrecognized key: "colour"',
    ]);
    expect(await refused({ ...smallDocument, settings: { name: 'Harbour' } })).toContain(
      'settings.preferredLocale: Invalid input: expected string, received undefined',
    );
    const withOverwrite = (overwrite: object) => ({
      ...smallDocument,
      channels: [{ ...first, overwrites: [overwrite] }, ...others],
    });
    expect(await refused(withOverwrite({ role: 'Krew' }))).toEqual([
      'channel Deck.overwrites[0].role: The document has no role "Krew"',
    ]);
    expect(await refused(withOverwrite({ role: 'Crew', allow: ['FLY'] }))).toEqual([
      'channel Deck.overwrites[0].allow: There is no permission FLY',
    ]);
  });

  test('can be packed, but not without end', async () => {
    const server = await backups.newServer();
    const packed = (text: string) => Buffer.from(Bun.gzipSync(text)).toString('base64');
    const documentGzip = packed(JSON.stringify(smallDocument));
    await completed(server, { documentGzip });
    const bomb = await importInto(server, { documentGzip: packed('"'.repeat(50_000_000)) });
    expect(bomb.status).toBe(400);
    const both = await importInto(server, { documentGzip, document: smallDocument });
    expect(both.status).toBe(400);
    const unclean = { ...smallDocument, settings: { ...smallDocument.settings, name: '\0' } };
    const hidden = await importInto(server, { documentGzip: packed(JSON.stringify(unclean)) });
    expect(hidden.body.details.fieldErrors.document).toEqual([
      'Must not contain NUL or lone surrogates',
    ]);
  });

  test('has at most twice as many channels as a server can have, also in its categories', async () => {
    const server = await backups.newServer();
    const channels = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'TEXT', name: `channel-${at}` }));
    const settings = { ...smallDocument.settings, systemChannel: undefined };
    const categories = [500, 498].map((count) => {
      return { type: 'CATEGORY', name: `with ${count}`, channels: channels(count) };
    });
    const most = { ...smallDocument, settings, channels: categories };
    expect((await importInto(server, { document: most })).status).toBe(202);
    const more = { ...most, channels: [...categories, ...channels(1)] };
    const refused = await importInto(server, { document: more });
    expect(refused.body.details.fieldErrors.document).toEqual([
      'channels: There are more than 1000 with those in categories',
    ]);
  });

  test('has an onboarding that can be kept as one thing', async () => {
    const server = await backups.newServer();
    const option = { title: 'Crew', roles: Array<string>(1000).fill('Crew') };
    const prompt = { title: 'Who?', type: 'DROPDOWN', options: Array(10).fill(option) };
    const onboarding = { enabled: true, mode: 'DEFAULT', prompts: [prompt] };
    const refused = await importInto(server, { document: { ...smallDocument, onboarding } });
    expect(refused.body.details.fieldErrors.document).toEqual([
      'onboarding: It lists more than 10000 things',
    ]);
  });

  test('brings new images in pieces, and names those that are missing', async () => {
    const server = await backups.newServer();
    const bytes = randomBytes(300_000);
    const name = `${createHash('sha256').update(bytes).digest('hex')}.png`;
    const document = { ...smallDocument, emojis: [{ name: 'wave', image: name }] };
    const missing = await importInto(server, { document });
    expect(missing.status).toBe(409);
    expect(missing.body.missingImages).toEqual([name]);
    const pieces: string[] = [];
    for (const part of [bytes.subarray(0, 150_000), bytes.subarray(150_000)]) {
      const body = { data: part.toString('base64') };
      const reply = await server.tenant.call('POST', pathOf(server, '/import/pieces'), { body });
      expect(reply.status).toBe(201);
      pieces.push(reply.body.data.sha256);
    }
    const { id } = await completed(server, { document, images: [{ name, pieces }] });
    const path = pathOf(server, `/${id}/images`);
    const { data } = (await server.tenant.call('GET', path)).body;
    expect(data).toEqual({ images: [{ name, data: bytes.toString('base64') }], next: null });
    const swapped = { name, pieces: pieces.toReversed() };
    expect(await imported(server, { document, images: [swapped] })).toMatchObject({
      ...{ status: 'failed', error: `Image ${name} has other bytes` },
    });
  });

  test('keeps overwrites for people, and shows them only where asked', async () => {
    const server = await backups.newServer();
    const [hall, person] = [randomPlatformId(), randomPlatformId()];
    const overwrite = { id: person, type: 1, allow: '1024', deny: '0' };
    await simulator.control('PUT', `/guilds/${server.guildId}`, {
      channels: [{ id: hall, type: 0, name: 'hall', permission_overwrites: [overwrite] }],
    });
    const base = await backups.takeBackup(server);
    const document = await documentOf(server, base.id);
    expect(JSON.stringify(document)).not.toContain(person);
    expect(JSON.stringify(await documentOf(server, base.id, '?people=true'))).toContain(person);
    document.channels[0].topic = 'New';
    const { id } = await completed(server, { document, baseBackupId: base.id });
    expect((await plan(server, id)).update).toEqual([
      { type: 'channel', name: 'hall', changes: [{ field: 'topic', from: null, to: 'New' }] },
    ]);
  });

  test('never becomes the last good backup, counts as one, and is in the audit log', async () => {
    const server = await backups.newServer();
    const taken = await backups.takeBackup(server);
    const { id } = await completed(server, { document: smallDocument });
    // The end of the newest one makes the service look for the last good one again.
    await backups.delete(server, (await backups.takeBackup(server)).id);
    const { data } = (await server.tenant.call('GET', `/api/v1/servers/${server.serverId}`)).body;
    expect(data.lastGoodBackupId).toBe(taken.id);
    expect(data._count.backups).toBe(2);
    const entries: { subject: { id: string } }[] = (await auditOf(server.tenant)).data;
    expect(entries.filter(({ subject }) => subject.id === id)).toHaveLength(2);
  });
});
