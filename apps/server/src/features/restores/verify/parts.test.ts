import { expect, test } from 'bun:test';
import type { BackupComponent, RestoreMode } from '@holdfast/contract';
import { BOT, type TestGuild } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import {
  emptyTarget,
  future,
  newEvent,
  newRule,
  past,
  snapshotWithParts,
  wholeCommunity,
} from '../../../../test/harness/guilds/whole-community.ts';
import { loadBlank } from '../../../../test/harness/restores/run-on-model.ts';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import { addCreated } from '../plan/id-map.ts';
import { planRestore } from '../plan/plan-restore.ts';
import { runStep } from '../run/run-step.ts';
import { describeDifference } from './describe-difference.ts';
import { findDifferences } from './differences.ts';
import { createModelGuild } from './model-guild.ts';
import { createEmptyParts } from './model-parts.ts';
import { testRestore } from './test-restore.ts';

const now = new Date('2026-01-01T00:00:00Z');
const components: BackupComponent[] = [
  ...(['settings', 'roles', 'channels', 'emojis', 'stickers', 'automod', 'onboarding'] as const),
  ...(['welcomeScreen', 'events', 'soundboard', 'webhooks'] as const),
];

type Options = { mode?: RestoreMode; deleteExtra?: boolean; components?: BackupComponent[] };

const planFor = (snapshot: Snapshot, target: TestGuild, options: Options = {}) =>
  planRestore({
    ...{ snapshot, current: structuredClone(target), components, bot: BOT, now },
    ...options,
  });

const restoreInto = async (snapshot: Snapshot, target: TestGuild, options: Options = {}) => {
  const guild = createModelGuild(structuredClone(target));
  const plan = planFor(snapshot, guild.state, options);
  const { idMap } = plan;
  for (const { action } of plan.steps) {
    const { createdId } = await runStep(guild, action, idMap, loadBlank);
    addCreated(idMap, action, createdId);
  }
  const differences = findDifferences(snapshot, guild.state, idMap, components, { now });
  return { plan, state: guild.state, differences: differences.map(describeDifference) };
};

const callsOf = ({ steps }: ReturnType<typeof planFor>) => steps.map(({ action }) => action.do);

test('a community with every part comes back into the same server', async () => {
  const guild = wholeCommunity();
  const wrecked = { ...guild, parts: createEmptyParts() };
  const { plan, differences } = await restoreInto(snapshotWithParts(guild), wrecked);
  expect(differences).toEqual([]);
  expect(plan.losses).toEqual([]);
});

test('a plan names in its parts what it will make, by the id in the backup', () => {
  const guild = wholeCommunity();
  const target = {
    ...guild,
    channels: guild.channels.filter(({ id }) => id !== '302'),
    parts: { ...guild.parts, automod: [newRule({ id: '501', exemptChannelIds: [] })] },
  };
  const { updates } = planFor(snapshotWithParts(guild), target, { mode: 'REPAIR' });
  expect(updates.find(({ type }) => type === 'automod')?.changes).toEqual([
    { field: 'exempt_channels', from: [], to: ['302'] },
  ]);
});

test('a community with every part comes back into another server', async () => {
  const snapshot = snapshotWithParts(wholeCommunity());
  const { plan, state, differences } = await restoreInto(snapshot, emptyTarget());
  expect(differences).toEqual([]);
  expect(plan.losses).toEqual([]);
  expect(state.parts?.webhooks).toMatchObject([{ name: 'News' }]);
  expect(state.parts?.onboarding?.prompts).toMatchObject([{ title: 'Who are you?' }]);
});

test('the parts of an unchanged server are neither changed nor made again', () => {
  const guild = wholeCommunity();
  const parts = ['automod', 'onboarding', 'welcomeScreen', 'events', 'soundboard', 'webhooks'];
  const options = { mode: 'REPAIR', components: parts as BackupComponent[] } as const;
  const plan = planFor(snapshotWithParts(guild), guild, options);
  expect(callsOf(plan)).toEqual([]);
  expect(plan.keep).toBe(6);
});

test('the onboarding is set last, when its channels are visible', () => {
  const { steps } = planFor(snapshotWithParts(wholeCommunity()), emptyTarget());
  const seqOf = (name: string) => steps.find(({ action }) => action.do === name)?.seq ?? 0;
  const reveals = steps.filter(
    ({ action }) => action.do === 'setOverwrites' && action.purpose === 'reveal',
  );
  expect(reveals.length).toBeGreaterThan(0);
  for (const { seq } of reveals) expect(seqOf('setOnboarding')).toBeGreaterThan(seq);
  expect(seqOf('setOnboarding')).toBeGreaterThan(seqOf('setWelcomeScreen'));
});

test('surplus parts stay in a repair, and go where the owner says so', () => {
  const guild = wholeCommunity();
  const extra = structuredClone(guild);
  extra.parts.automod?.push(newRule({ id: '599', name: 'Another' }));
  extra.parts.events?.push(newEvent({ id: '799', name: 'Another', startsAt: future }));
  const emoji = { emojiId: null, emojiName: null };
  extra.parts.soundboard?.push({ id: '899', name: 'bell', volume: 1, ...emoji });
  const webhook = { id: '999', name: 'Other', channelId: '301', avatarHash: null, source: null };
  extra.parts.webhooks?.push({ ...webhook, kind: 'incoming' });
  const parts: BackupComponent[] = ['automod', 'events', 'soundboard', 'webhooks'];
  const snapshot = snapshotWithParts(guild);
  const kept = planFor(snapshot, extra, { mode: 'REPAIR', components: parts });
  expect(callsOf(kept)).toEqual([]);
  const options = { mode: 'REPAIR', components: parts, deleteExtra: true } as const;
  const calls = callsOf(planFor(snapshot, extra, options)).sort();
  expect(calls).toEqual(['deleteAutomodRule', 'deleteEvent', 'deleteSound', 'deleteWebhook']);
});

test('webhooks and events beyond the limits of the platform are losses of the plan', () => {
  const guild = wholeCommunity();
  const [webhook] = guild.parts.webhooks ?? [];
  if (!webhook) throw new Error('It has a webhook');
  const named = (count: number, prefix: string, first: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ ...webhook, id: String(first + at), name: `${prefix} ${at}`, avatarHash: null },
    }));
  const saved = named(10, 'ours', 2000);
  const events = Array.from({ length: 100 }, (_, at) =>
    newEvent({ id: String(4000 + at), name: `Event ${at}`, startsAt: future }),
  );
  const snapshot = snapshotWithParts({
    ...guild,
    parts: { ...guild.parts, webhooks: saved, events },
  });
  // Five of the backup's, eight of others and one that an application has: there is room for one.
  const others = [...named(8, 'theirs', 3000), ...named(1, 'app', 3100)].map((one) =>
    one.name?.startsWith('app') ? { ...one, kind: 'application' as const } : one,
  );
  const target = {
    ...guild,
    parts: {
      ...guild.parts,
      webhooks: [...saved.slice(0, 5), ...others],
      events: [newEvent({ id: '5000', name: 'New', startsAt: future })],
    },
  };
  const plan = planFor(snapshot, target, { mode: 'REPAIR' });
  const made = callsOf(plan);
  expect(made.filter((name) => name === 'createWebhook')).toHaveLength(1);
  expect(made.filter((name) => name === 'createEvent')).toHaveLength(99);
  expect(plan.losses).toMatchObject([
    { type: 'event', code: 'noRoom', limit: 100 },
    ...Array(4).fill({ type: 'webhook', code: 'noRoom', limit: 15 }),
  ]);
});

test('a webhook that is still there moves to its new channel and keeps its address', async () => {
  const guild = wholeCommunity();
  const { plan, state } = await restoreInto(snapshotWithParts(guild), guild);
  expect(callsOf(plan)).not.toContain('createWebhook');
  const [webhook] = state.parts?.webhooks ?? [];
  const general = state.channels.find(({ name }) => name === 'general');
  expect(webhook).toMatchObject({ id: '901', channelId: general?.id });
});

test('an event that has begun is noted, and one that recurs is made for the next time', () => {
  const guild = wholeCommunity();
  const weekly = {
    ...{ startsAt: past, frequency: 2, interval: 1, byWeekday: [2] },
    ...{ byNthWeekday: null, byMonth: null, byMonthDay: null },
  };
  guild.parts.events = [
    newEvent({ id: '701', name: 'Launch', startsAt: past }),
    newEvent({ id: '702', name: 'Club', startsAt: past, recurrence: weekly }),
  ];
  const plan = planFor(snapshotWithParts(guild), emptyTarget(), { components: ['events'] });
  expect(plan.notes).toContainEqual({ code: 'eventPast', name: 'Launch' });
  const [created] = plan.steps.flatMap(({ action }) =>
    action.do === 'createEvent' ? [action.wish.startsAt] : [],
  );
  expect(created).toBe('2026-01-07T10:00:00.000Z');
});

test('what finds no room is known before anything is done', () => {
  const guild = wholeCommunity();
  guild.parts.automod = Array.from({ length: 7 }, (_, index) =>
    newRule({ id: `50${index}`, name: `Rule ${index}`, actions: [], exemptRoleIds: [] }),
  ).map((rule) => ({
    ...rule,
    actions: [{ type: 1, channelId: null, durationSeconds: null, customMessage: null }],
  }));
  guild.parts.soundboard = Array.from({ length: 9 }, (_, index) => ({
    ...{ id: `80${index}`, name: `sound ${index}`, volume: 1, emojiId: null, emojiName: null },
  }));
  const target = { ...emptyTarget(), parts: createEmptyParts() };
  const plan = planFor(snapshotWithParts(guild), target, { components: ['automod', 'soundboard'] });
  expect(plan.losses).toMatchObject([
    { type: 'automod', code: 'noRoom', limit: 6 },
    { type: 'sound', code: 'noRoom', limit: 8 },
  ]);
});

test('a default channel that would be hidden is left out of the onboarding, and reported', () => {
  const guild = wholeCommunity();
  guild.parts.onboarding?.defaultChannelIds.push('302');
  const plan = planFor(snapshotWithParts(guild), emptyTarget());
  const [wish] = plan.steps.flatMap(({ action }) =>
    action.do === 'setOnboarding' ? [action.wish] : [],
  );
  expect(wish?.defaultChannelIds).toEqual(['301']);
  expect(plan.losses).toMatchObject([{ type: 'onboarding', code: 'defaultChannelHidden' }]);
});

test('a part that the bot may not read here is lost alone', () => {
  const target = { ...emptyTarget(), parts: { ...createEmptyParts(), webhooks: undefined } };
  const plan = planFor(snapshotWithParts(wholeCommunity()), target);
  expect(plan.losses).toMatchObject([{ name: 'webhooks', code: 'partNotReadable' }]);
  expect(callsOf(plan)).toContain('createAutomodRule');
});

test('without the feature for role icons the icon is lost, and nothing else of the role', () => {
  const target = emptyTarget();
  target.settings.features = [];
  const plan = planFor(snapshotWithParts(wholeCommunity()), target, { components: ['roles'] });
  expect(plan.losses).toEqual([{ type: 'role', name: 'Staff', code: 'noRoleIcons' }]);
  expect(callsOf(plan)).not.toContain('setRoleIcon');
});

test('the test restore of a backup covers every part', async () => {
  const snapshot = snapshotWithParts(wholeCommunity());
  expect(await testRestore(snapshot)).toMatchObject({ restorable: true, differences: [] });
  const broken = structuredClone(snapshot);
  for (const rule of broken.automod ?? []) rule.name = 'twin';
  broken.automod?.push({ ...newRule({ id: '503' }), triggerType: 5 });
  expect(await testRestore(broken)).toMatchObject({ restorable: false });
});

test('a rule is mended when a channel that it spares is made again', async () => {
  const guild = wholeCommunity();
  const damaged = structuredClone(guild);
  damaged.channels = damaged.channels.filter(({ id }) => id !== '303');
  for (const part of [guild.parts, damaged.parts]) {
    part.automod = [newRule({ id: '501', exemptChannelIds: part === guild.parts ? ['303'] : [] })];
    part.events = [];
  }
  const repair = { mode: 'REPAIR' } as const;
  const { state, differences } = await restoreInto(snapshotWithParts(guild), damaged, repair);
  expect(differences).toEqual([]);
  const made = state.channels.find(({ name }) => name === 'Deck');
  expect(state.parts?.automod?.[0]?.exemptChannelIds).toEqual([made?.id ?? '']);
});

test('the verification names every part that is missing, surplus or different', async () => {
  const guild = wholeCommunity();
  const snapshot = snapshotWithParts(guild);
  const { state, plan } = await restoreInto(snapshot, emptyTarget());
  const compare = () =>
    findDifferences(snapshot, state, plan.idMap, components, { now })
      .map(describeDifference)
      .sort();
  expect(compare()).toEqual([]);
  const { automod, events, soundboard, webhooks, onboarding, welcomeScreen, widget } =
    state.parts ?? createEmptyParts();
  for (const rule of automod ?? []) rule.keywords.push('more');
  events?.pop();
  soundboard?.push({ id: '1', name: 'bell', volume: 1, emojiId: null, emojiName: null });
  for (const webhook of webhooks ?? []) webhook.channelId = null;
  onboarding?.prompts.pop();
  if (welcomeScreen) welcomeScreen.description = 'Another';
  widget.isEnabled = false;
  for (const role of state.roles) role.iconHash = null;
  expect(compare()).toEqual([
    'The AutoMod rule No spam differs',
    'The AutoMod rule No storms of mentions differs',
    'The event Regatta is missing',
    'The onboarding differs',
    'The role Staff differs in its icon',
    'The settings differ in the widget',
    'The sound bell is not in the backup',
    'The webhook News differs',
    'The welcome screen differs',
  ]);
});

test('a backup of an earlier version, which knows no parts, leaves those of the server alone', async () => {
  const guild = wholeCommunity();
  const { guildId, settings, roles, channels, emojis, stickers } = snapshotWithParts(guild);
  const old = {
    ...{ guildId, channels, emojis, stickers },
    settings: settings?.map(({ widget: _, vanityCode: __, invites: ___, ...entry }) => entry),
    roles: roles?.map(({ icon: _, ...role }) => role),
  };
  const { plan, state } = await restoreInto(old, guild, { mode: 'REPAIR' });
  expect(callsOf(plan)).toEqual([]);
  expect(state.parts).toEqual(guild.parts);
});
