import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { backupComponents } from '@holdfast/contract';
import { eventually } from '../../harness/eventually.ts';
import {
  type PullFixture,
  type PullServer,
  startPullFixture,
} from '../../harness/pulls/fixture.ts';
import { type OwnTenant, randomPlatformId } from '../../harness/service.ts';

/** Whether the platform's own OpenAPI description, which is not part of this project, is at hand. */
const isDescribed = Boolean(process.env.PLATFORM_OPENAPI);

setDefaultTimeout(240_000);

let fixture: PullFixture;
beforeAll(async () => {
  fixture = await startPullFixture();
});
afterAll(() => fixture.stop());

test.skipIf(!isDescribed)(
  'every request and answer of a backup, of restores and of a pull is as the platform describes it (PLATFORM_OPENAPI)',
  async () => {
    const server = await newCommunity();
    const refuge = await newCommunity(server.owner);
    await fixture.addMembers(server, 3);
    const backupId = await takeBackup(server);
    await wreck(server);
    for (const mode of ['REPAIR', 'REPLACE']) {
      await restore(server, backupId, { mode });
    }
    await restore(server, backupId, { targetServerId: refuge.serverId });
    await fixture.pull(server);
    const calls: unknown[] = await fixture.simulator.control('GET', '/log');
    expect(calls.length).toBeGreaterThan(100);
    await fixture.simulator.checkTraffic();
  },
);

/** A server whose guild is one of those that the simulator makes up. */
const newCommunity = async (owner?: OwnTenant): Promise<PullServer> => {
  const modelId = randomPlatformId();
  const model = JSON.stringify(await fixture.simulator.control('GET', `/guilds/${modelId}`));
  const server = await fixture.newServer({}, owner);
  const state = JSON.parse(model.replaceAll(modelId, server.guildId));
  await fixture.simulator.control('PUT', `/guilds/${server.guildId}`, state);
  return server;
};

const takeBackup = async ({ owner, serverId }: PullServer): Promise<string> => {
  const path = `/api/v1/servers/${serverId}/backups`;
  const { data } = (await owner.call('POST', path, { body: { components: backupComponents } }))
    .body;
  return eventually(60_000, async () => {
    const backup = (await owner.call('GET', `${path}/${data.id}`)).body.data;
    expect(backup.status).toBe('completed');
    return backup.id;
  });
};

const restore = async ({ owner, serverId }: PullServer, backupId: string, body: object) => {
  const path = `/api/v1/servers/${serverId}/backups/${backupId}/restore`;
  const reply = await owner.call('POST', path, { body });
  expect([reply.status, reply.text]).toEqual([202, expect.any(String)]);
  await eventually(120_000, async () => {
    const { data } = (await owner.call('GET', `/api/v1/restores/${reply.body.data.id}`)).body;
    expect(data.status).not.toBeOneOf(['queued', 'snapshotting', 'running']);
  });
};

/** Some of everything is gone or changed. */
const wreck = async ({ guildId }: PullServer) => {
  const state = await fixture.simulator.control('GET', `/guilds/${guildId}`);
  const { rules_channel_id, public_updates_channel_id } = state.guild;
  const isNeeded = ({ id }: { id: string }) =>
    [rules_channel_id, public_updates_channel_id].includes(id);
  const isOdd = (_: unknown, at: number) => at % 2 === 1;
  await fixture.simulator.control('PUT', `/guilds/${guildId}`, {
    ...state,
    guild: { ...state.guild, name: 'Wrecked', description: null },
    channels: state.channels.filter(
      (channel: { id: string }, at: number) => isNeeded(channel) || isOdd(channel, at),
    ),
    emojis: state.emojis.filter(isOdd),
    stickers: [],
    bans: [],
  });
};
