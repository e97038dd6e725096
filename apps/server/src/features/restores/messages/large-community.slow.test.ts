import { afterAll, beforeAll, expect, test } from 'bun:test';
import { backupDependencies, runBackupNow } from '../../../../test/harness/backups/run-backup.ts';
import { type PeopleFixture, startPeopleFixture } from '../../../../test/harness/erasure/people.ts';
import {
  createRedactionFixture,
  neverAborted,
} from '../../../../test/harness/erasure/redaction.ts';
import { isFullSize } from '../../../../test/harness/full-size.ts';
import {
  readPins,
  readTalk,
  readThreads,
  talkativeGuild,
} from '../../../../test/harness/guilds/talkative-guild.ts';
import { ownLease } from '../../../../test/harness/own-lease.ts';
import { randomPlatformId } from '../../../../test/harness/service.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { executeRestore } from '../run/execute.ts';

let people: PeopleFixture;
let fixture: ReturnType<typeof createRedactionFixture>;
beforeAll(async () => {
  people = await startPeopleFixture();
  fixture = createRedactionFixture(people);
});
afterAll(() => people.stop());

const everything = ['settings', 'roles', 'channels', 'messages', 'threads'];
/** How many messages each read of a channel asked for. */
const readsOf = async (channelId: string) =>
  (await people.log())
    .filter(({ method, path }) => method === 'GET' && path.includes(`/${channelId}/messages?`))
    .map(({ path }) => new URLSearchParams(path.split('?')[1]).get('limit'));

const size = isFullSize
  ? { channels: 40, messages: 1000, threadMessages: 125 }
  : { channels: 4, messages: 260, threadMessages: 20 };
const pages = Math.ceil(size.messages / 100);
const least = isFullSize ? 50_000 : 1000;

test(`${least} messages with threads, files and pins are read in pages and come back in order, without an erased author`, async () => {
  const { service, simulator } = people;
  const erased = await fixture.newPerson();
  const authors = [
    { id: erased.platformId, username: erased.canary },
    ...['Ada', 'Grace', 'Linus', 'Margaret'].map((username) => ({
      id: randomPlatformId(),
      username,
    })),
  ];
  const { state } = talkativeGuild(size, authors);
  expect(state.messages.length).toBeGreaterThan(least);
  const server = await fixture.backups.newServer(state);
  const { tenant } = server;
  const tools = backupDependencies(service, simulator.apiUrl, { callsPerSecond: 100_000 });

  const request = { components: everything, messagesPerChannel: 1000 };
  const backupId = await fixture.backups.begin(server, request);
  await runBackupNow(tools, { backupId, accountId: tenant.accountId });
  const backup = await fixture.backups.read(server, backupId);
  expect(backup).toMatchObject({ status: 'completed', warnings: [] });
  expect(backup.counts.messages).toBe(state.messages.length);
  for (const { id } of state.channels.slice(0, size.channels)) {
    expect(await readsOf(id)).toEqual(Array.from({ length: pages }, () => '100'));
  }
  expect((await fixture.erase(erased)).status).toBe(200);

  const path = `${fixture.backups.backupsOf(server.serverId)}/${backupId}/restore`;
  const reply = await tenant.call('POST', path, { body: { components: everything } });
  const owner = { accountId: tenant.accountId, restoreId: String(reply.body.data.id) };
  const dependencies = { ...tools, clock: systemClock };
  await executeRestore(dependencies, owner, {
    signal: neverAborted,
    lease: ownLease,
    runAgain: async () => undefined,
  });
  const { data: restored } = (await tenant.call('GET', `/api/v1/restores/${owner.restoreId}`)).body;
  expect(restored).toMatchObject({ status: 'completed', warnings: [] });

  const after = await simulator.control('GET', `/guilds/${server.guildId}`);
  const left = {
    ...state,
    messages: state.messages.filter(({ author }) => author.id !== erased.platformId),
  };
  expect(readTalk(after)).toEqual(readTalk(left));
  expect(readPins(after)).toEqual(readPins(left));
  expect(readThreads(after)).toEqual(readThreads(left));
  expect(after.webhooks).toEqual([]);
  expect(JSON.stringify(after.messages)).not.toContain(erased.canary);
  await fixture.redact(server);
  await fixture.expectGone(server, erased);
}, 1_200_000);
