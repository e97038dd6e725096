import { afterAll, beforeAll, expect, test } from 'bun:test';
import { setContact } from '../../../../test/harness/billing/customer.ts';
import { createBot, createServer } from '../../../../test/harness/bots-and-servers.ts';
import { eventually } from '../../../../test/harness/eventually.ts';
import {
  type OwnTenant,
  randomPlatformId,
  startTestService,
  type TestService,
} from '../../../../test/harness/service.ts';
import {
  startTestSimulator,
  type TestSimulator,
} from '../../../../test/harness/simulator/start.ts';
import { createOutboxMailer } from '../../../main/local-mode/payments.ts';
import type { NewAlert } from '../rules.ts';
import { raiseAlert } from './raise-alert.ts';

/** The time in which there is one message, instead of ten minutes. */
const windowMs = 1500;
const baseUrl = 'https://holdfast.example';

let service: TestService;
let simulator: TestSimulator;
beforeAll(async () => {
  simulator = await startTestSimulator();
  service = await startTestService({
    ...{ baseUrl, platformApiUrl: simulator.apiUrl, alertWindowMs: windowMs },
    mailer: createOutboxMailer(simulator.url, 'Holdfast <alerts@holdfast.example>'),
    doesWork: ['alerts.deliver', 'alerts.send-mail', 'alerts.post'],
  });
});
afterAll(async () => {
  await service.stop();
  await simulator.stop();
});

type Mail = { to: string; subject: string; text: string };
type Place = {
  owner: OwnTenant;
  serverId: string;
  guildId: string;
  channelId: string;
  botToken: string;
  email: string;
};

const newPlace = async (name = 'Harbour', changes: object = {}): Promise<Place> => {
  const owner = await service.newTenant();
  const email = `owner-${randomPlatformId()}@example.com`;
  await setContact(owner, { email, displayName: 'Ada' });
  const [platformGuildId, clientId, channelId] = [1, 2, 3].map(randomPlatformId);
  const channels = [{ id: channelId, name: 'log', type: 0 }];
  await simulator.control('PUT', `/guilds/${platformGuildId}`, { channels });
  const botToken = `${btoa(String(clientId))}.token-value`;
  const customBotId = await createBot(owner, { clientId, botToken });
  const pointers = { customBotId, platformGuildId, logChannelId: channelId };
  const serverId = await createServer(owner, { name, ...pointers, ...changes });
  const [guildId, shownIn] = [String(platformGuildId), String(channelId)];
  return { owner, serverId, guildId, channelId: shownIn, botToken, email };
};

const raise = (alert: NewAlert) => service.db.transaction((tx) => raiseAlert(tx, service, alert));

const damage = ({ owner: { accountId }, serverId }: Place, channels = 19) =>
  raise({ accountId, serverId, kind: 'SERVER_DAMAGED', facts: { channels, roles: 5 } });

const mailsTo = async (address: string): Promise<Mail[]> =>
  (await simulator.control('GET', '/outbox')).filter(({ to }: Mail) => to.includes(address));

type Post = { content: string; allowed_mentions: object };

const postsIn = async (channelId: string): Promise<Post[]> => {
  const log: { method: string; path: string; body: unknown }[] = await simulator.control(
    'GET',
    '/log',
  );
  return log
    .filter(({ method, path }) => method === 'POST' && path === `/channels/${channelId}/messages`)
    .map(({ body }) => (typeof body === 'string' ? JSON.parse(body) : body));
};

/** Every job about alerts is done, but for those of later. */
const settled = () =>
  eventually(20_000, async () => {
    const open = await service.db.$client`
      select from pgboss.job where name like 'alerts.%'
        and (state = 'retry' or state < 'completed' and start_after <= now())`;
    expect(open).toHaveLength(0);
  });

test('an alert is a mail in the outbox and a message in the log channel, both with a link', async () => {
  const place = await newPlace();
  await damage(place);
  const link = `${baseUrl}/dashboard/servers/${place.serverId}`;
  const [mail] = await eventually(20_000, async () => {
    const mails = await mailsTo(place.email);
    expect(mails).toHaveLength(1);
    return mails;
  });
  expect(mail?.subject).toBe('One of your servers is damaged');
  expect(mail?.text).toStartWith('Hello Ada,\n\nHarbour is damaged.\n\nMissing since');
  expect(mail?.text).toContain(`\n\n${link}\n\n`);
  expect(mail?.text).toContain(`${baseUrl}/dashboard/alerts/settings`);
  const [post] = await eventually(20_000, async () => {
    const posts = await postsIn(place.channelId);
    expect(posts).toHaveLength(1);
    return posts;
  });
  expect(post?.content).toStartWith('Harbour is damaged\\. Missing since');
  expect(post?.content).toEndWith(`\n<${link}>`);
  expect(post?.allowed_mentions).toEqual({ parse: [] });
});

test('what follows soon is counted in the next mail and the next message', async () => {
  const place = await newPlace();
  await damage(place, 1);
  await eventually(20_000, async () => {
    expect(await mailsTo(place.email)).toHaveLength(1);
    expect(await postsIn(place.channelId)).toHaveLength(1);
  });
  for (let channels = 2; channels <= 4; channels++) await damage(place, channels);
  await eventually(20_000, async () => {
    expect(await mailsTo(place.email)).toHaveLength(2);
    expect(await postsIn(place.channelId)).toHaveLength(2);
  });
  const [newest, first] = await mailsTo(place.email);
  const counted = (text = '') => Number(/stands for (\d+) alerts/.exec(text)?.[1] ?? 1);
  expect(counted(newest?.text) + counted(first?.text)).toBe(4);
  expect(newest?.text).toContain('4 channels and 5 roles');
  expect(newest?.text).toContain(`${baseUrl}/dashboard/alerts\n`);
  expect((await postsIn(place.channelId)).at(-1)?.content).toContain('the newest of');
  const [short] = await service.db.$client`
    select count(*)::int as pairs from alert_messages one join alert_messages other
      on other.account_id = one.account_id and other.way = one.way and other.created_at > one.created_at
    where one.account_id = ${place.owner.accountId}
      and other.created_at - one.created_at < make_interval(secs => ${windowMs / 1000})`;
  expect(short.pairs).toBe(0);
});

test('a hostile name stays a name, in the mail and in the channel', async () => {
  const name =
    '<b>x</b> **y** @everyone <@1> https://www.evil.example\r\nBcc: victim@example.com\u202e';
  const place = await newPlace(name);
  await damage(place);
  await eventually(20_000, async () => {
    expect(await mailsTo(place.email)).toHaveLength(1);
    expect(await postsIn(place.channelId)).toHaveLength(1);
  });
  const [mail] = await mailsTo(place.email);
  const shown =
    '<b>x</b> **y** @everyone <@1> https: //www. evil. example Bcc: victim@example. com';
  expect(mail?.subject).toBe('One of your servers is damaged');
  expect(mail?.text).toContain(`${shown} is damaged.`);
  expect(mail?.text).not.toMatch(/^Bcc:/m);
  const [post] = await postsIn(place.channelId);
  const [text = '', link] = post?.content.split('\n') ?? [];
  expect(text).not.toMatch(/(?<!\\)[<>*@:`_~|[\]]/);
  expect(text).toContain('\\@everyone \\<\\@1\\> https\\:\\/\\/www\\.evil\\.example');
  expect(link).toBe(`<${baseUrl}/dashboard/servers/${place.serverId}>`);
});

test('without a log channel, with one that is gone, or with a refused bot, the mail goes all the same', async () => {
  const without = await newPlace('Harbour', { logChannelId: null });
  const gone = await newPlace('Harbour', { logChannelId: randomPlatformId() });
  const refused = await newPlace();
  const [{ clientId }] = (await refused.owner.call('GET', '/api/v1/bots')).body.data;
  await simulator.control('PUT', `/bots/${clientId}`, { isDead: true });
  for (const place of [without, gone, refused]) {
    await damage(place);
    await eventually(20_000, async () =>
      expect(await mailsTo(place.email)).toContainEqual(
        expect.objectContaining({ subject: 'One of your servers is damaged' }),
      ),
    );
  }
  await settled();
  expect(await postsIn(without.channelId)).toEqual([]);
  const kinds = (await refused.owner.call('GET', '/api/v1/alerts')).body.data.map(
    ({ kind }: { kind: string }) => kind,
  );
  expect(kinds).toEqual(['BOT_REFUSED', 'SERVER_DAMAGED']);
});

test('a message whose answer was lost is written once', async () => {
  const { channelId, botToken, guildId, ...place } = await newPlace();
  await simulator.control('POST', '/faults', {
    ...{ match: { method: 'POST', guildId }, times: 3 },
    ...{ when: 'afterApply', action: 'reset' },
  });
  await damage({ channelId, botToken, guildId, ...place });
  await eventually(20_000, async () => expect(await postsIn(channelId)).toHaveLength(4));
  await settled();
  const shown = await fetch(`${simulator.apiUrl}/channels/${channelId}/messages`, {
    headers: { Authorization: `Bot ${botToken}` },
  });
  expect(await shown.json()).toHaveLength(1);
});

test('of a server that is deleted meanwhile nothing is told', async () => {
  const place = await newPlace();
  const { owner, serverId } = place;
  expect((await owner.call('DELETE', `/api/v1/servers/${serverId}`)).status).toBe(200);
  // As by a job that was under way.
  await damage(place);
  await settled();
  expect([await mailsTo(place.email), await postsIn(place.channelId)]).toEqual([[], []]);
});

test('an account without an address has the alert in its list only', async () => {
  const place = await newPlace('Harbour', { logChannelId: null });
  await service.db.$client`update accounts set email = null where id = ${place.owner.accountId}`;
  await damage(place);
  await settled();
  expect((await place.owner.call('GET', '/api/v1/alerts')).body.pagination.total).toBe(1);
});
