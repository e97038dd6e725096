import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import { createRedactionFixture } from '../../../../test/harness/erasure/redaction.ts';
import { readTalk, talkativeGuild } from '../../../../test/harness/guilds/talkative-guild.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';

let people: PeopleFixture;
let fixture: ReturnType<typeof createRedactionFixture>;
beforeAll(async () => {
  people = await startPeopleFixture({ doesWork: ['backups.run', 'restores.run'] });
  fixture = createRedactionFixture(people);
});
afterAll(() => people.stop());

const everything = ['settings', 'roles', 'channels', 'messages', 'threads'];

/** A guild in which one person writes every second line, with files that name them. */
const newTalk = async () => {
  const person = await fixture.newPerson();
  const { platformId: id, canary: username } = person;
  const other = { id: randomPlatformId(), username: 'Friend' };
  const size = { channels: 1, messages: 12, threadMessages: 3 };
  const { state } = talkativeGuild(size, [{ id, username }, other]);
  const messages = state.messages.map((message) =>
    message.author.id === id
      ? {
          ...message,
          content: `I am ${username}`,
          attachments: [
            {
              filename: `${username}.txt`,
              base64: Buffer.from(`file of ${username}`).toString('base64'),
            },
          ],
        }
      : { ...message, content: `${message.content} for <@${id}>` },
  );
  const server = await fixture.backups.newServer({ ...state, messages });
  return { person, server, state: { ...state, messages } };
};

const restoreWith = async (
  { tenant, serverId }: Awaited<ReturnType<typeof newTalk>>['server'],
  backupId: string,
) => {
  const path = `${fixture.backups.backupsOf(serverId)}/${backupId}/restore`;
  const reply = await tenant.call('POST', path, { body: { components: everything } });
  expect(reply.status).toBe(202);
  return fixture.backups.restored({ tenant }, reply.body.data.id);
};

test("an erased author's messages, files, quotations and mentions are nowhere, before and after the redaction", async () => {
  const { person, server, state } = await newTalk();
  const { id: backupId, counts } = await fixture.backups.takeBackup(server, {
    components: everything,
  });
  expect(await fixture.objectsHolding(server, `file of ${person.canary}`)).not.toEqual([]);
  expect((await fixture.erase(person)).status).toBe(200);

  const others = state.messages.filter(({ author }) => author.id !== person.platformId);
  const expectOthersOnly = async () => {
    const restored = await restoreWith(server, backupId);
    expect(restored).toMatchObject({ status: 'completed', warnings: [] });
    expect(restored.steps.done).toBe(restored.steps.total);
    const after = await people.simulator.control('GET', `/guilds/${server.guildId}`);
    const said = Object.values(readTalk(after)).flat();
    expect(said).toHaveLength(others.length);
    const posted = JSON.stringify(after.messages);
    expect(posted).not.toContain(person.canary);
    expect(posted).not.toContain(person.platformId);
  };
  await expectOthersOnly();

  await fixture.redact(server);
  await fixture.expectGone(server, person);
  expect(await fixture.objectsHolding(server, `file of ${person.canary}`)).toEqual([]);
  const redacted = await fixture.backups.read(server, backupId);
  expect(redacted.counts.messages).toBe(others.length);
  expect(counts.messages).toBe(state.messages.length);
  await expectOthersOnly();
  const [{ journal }] = await people.service.db.$client`
    select coalesce(string_agg(to_jsonb(restore_posts)::text, ''), '') as journal from restore_posts`;
  expect(journal).not.toBe('');
  expect(journal).not.toContain(person.platformId);
});

test('a file that somebody else posted too outlives the erasure of the first', async () => {
  const { person, server, state } = await newTalk();
  const shared = Buffer.from(`meme ${crypto.randomUUID()}`);
  const file = { filename: 'meme.txt', base64: shared.toString('base64') };
  const [first, second] = state.messages;
  const messages = state.messages.map((message) =>
    message === first || message === second ? { ...message, attachments: [file] } : message,
  );
  await fixture.putGuild(server, { ...state, messages });
  const { id: backupId } = await fixture.backups.takeBackup(server, { components: everything });
  await fixture.erase(person);
  await fixture.redact(server);
  await fixture.expectGone(server, person);
  expect(await fixture.objectsHolding(server, shared.toString(), backupId)).toHaveLength(1);
  expect((await restoreWith(server, backupId)).status).toBe('completed');
});

test('what a restore posted belongs to its author in later backups too', async () => {
  const { person, server, state } = await newTalk();
  const first = await fixture.backups.takeBackup(server, { components: everything });
  expect((await restoreWith(server, first.id)).status).toBe('completed');
  const second = await fixture.backups.takeBackup(server, { components: everything });
  expect(second.counts.messages).toBe(state.messages.length);
  expect((await restoreWith(server, second.id)).status).toBe('completed');
  const after = await people.simulator.control('GET', `/guilds/${server.guildId}`);
  expect(readTalk(after)).toEqual(readTalk(state));

  await fixture.erase(person);
  await fixture.redact(server);
  await fixture.expectGone(server, person);
});
