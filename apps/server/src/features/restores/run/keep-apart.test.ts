import { expect, test } from 'bun:test';
import { everyComponent, snapshotOf } from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { newChannel } from '../../../../test/harness/guilds/parts.ts';
import { see, shut, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { permission } from '../../../platform/permissions.ts';
import { noneErased } from '../../backups/erasure/redact.ts';
import type { Action } from '../plan/action.ts';
import { emptyIdMap } from '../plan/id-map.ts';
import { findOpenChannels } from '../verify/channels.ts';
import { createModelGuild } from '../verify/model-guild.ts';
import { attemptStep } from './attempt-step.ts';
import { closeOpened } from './close-opened.ts';
import { keepApart } from './keep-apart.ts';

const staffOnly = [shut, { id: '202', kind: 'role' as const, allow: see, deny: '0' }];

/** A guild with an open category; what is in it has what it has, and was made for staff alone. */
const setUp = () => {
  const backup = smallGuild();
  backup.channels.push(
    newChannel({ id: '310', kind: 'category', name: 'Hall' }),
    newChannel({ id: '311', kind: 'text', name: 'desk', parentId: '310', overwrites: staffOnly }),
  );
  const now = structuredClone(backup);
  Object.assign(now.channels.at(-1) ?? {}, { overwrites: [] });
  const guild = createModelGuild(now);
  const { channels, roles } = backup;
  const own = (things: { id: string }[]) => Object.fromEntries(things.map(({ id }) => [id, id]));
  const idMap = { ...emptyIdMap(), channels: own(channels), roles: own(roles) };
  const step = (action: Action) => ({
    ...{ seq: 1, stage: 'edit', after: [], action, type: 'channel', name: 'desk' },
    ...{ effect: 'update', status: 'done', createdId: null, failure: null, error: null },
  });
  const journal = (steps: object[]) => {
    const run = {
      guild: { ...guild, readChannels: async () => structuredClone(guild.state.channels) },
      readErased: async () => noneErased,
      findHeld: async () => ({ stopped: ['600'] }),
      restore: { components: everyComponent },
    };
    // Only what both functions read of a journal.
    return {
      run,
      plan: {},
      steps,
      idMap,
      readChannels: run.guild.readChannels,
    } as unknown as Parameters<typeof keepApart>[0];
  };
  const desk = () => guild.state.channels.find(({ id }) => id === '311')?.overwrites;
  return { backup, guild, idMap, step, journal, desk };
};

const opening: Action = {
  do: 'editChannel',
  channel: { backup: '310' },
  changes: { overwrites: [] },
  apart: [{ backup: '311' }],
};
const given: Action = {
  do: 'editChannel',
  channel: { backup: '311' },
  changes: { overwrites: staffOnly },
};

test('a channel that followed its category against the plan gets again what it was given last', async () => {
  const { step, journal, desk } = setUp();
  await keepApart(journal([step(given)]), opening);
  expect(desk()).toEqual(staffOnly);
});

test('a channel that is closed again gives no power to somebody who was stopped since', async () => {
  const power = permission.manageChannels.toString();
  const own = { kind: 'member' as const, allow: power, deny: '0' };
  const [stopped, other] = [
    { ...own, id: '600' },
    { ...own, id: '601' },
  ];
  const step: Action = { ...given, changes: { overwrites: [...staffOnly, stopped, other] } };
  const fixture = setUp();
  await keepApart(fixture.journal([fixture.step(step)]), opening);
  expect(fixture.desk()).toEqual([...staffOnly, { ...stopped, allow: '0' }, other]);
});

test('a step that opens a category is done only when what followed it is closed again', async () => {
  const { guild, step, journal, desk } = setUp();
  const closed: Action = { ...given, changes: { overwrites: [shut] } };
  for (const channel of guild.state.channels.slice(-2)) {
    Object.assign(channel, { overwrites: [shut] });
  }
  const run = journal([step(closed)]);
  // The fields of a step's row that are read here.
  await attemptStep(run, step(opening) as unknown as (typeof run.steps)[number]);
  expect(desk()).toEqual([shut]);
});

test('a channel to which nothing was given yet is left to the step that does', async () => {
  const { journal, desk } = setUp();
  await keepApart(journal([]), opening);
  expect(desk()).toEqual([]);
});

test('a private channel that is open at the end is closed and named, also without a step about it', async () => {
  for (const steps of [[given], []]) {
    const { backup, guild, idMap, step, journal } = setUp();
    const snapshot = snapshotOf(backup);
    const open = findOpenChannels(snapshot, guild.state, idMap);
    expect(await closeOpened(journal(steps.map(step)), open)).toEqual(['desk']);
    expect(findOpenChannels(snapshot, guild.state, idMap)).toEqual([]);
  }
});

test('no channel that has what its category has is opened to others when the category is closed', async () => {
  const { backup, guild, idMap, step, journal, desk } = setUp();
  const kept = [{ id: '201', kind: 'role' as const, allow: '0', deny: see }];
  for (const channel of [...backup.channels.slice(-1), ...guild.state.channels.slice(-2)]) {
    Object.assign(channel, { overwrites: kept });
  }
  const [hall] = backup.channels.slice(-2);
  Object.assign(hall ?? {}, { overwrites: staffOnly });
  const closed: Action = { ...opening, changes: { overwrites: staffOnly } };
  const open = findOpenChannels(snapshotOf(backup), guild.state, idMap);
  expect(await closeOpened(journal([step(closed)]), open)).toEqual(['Hall']);
  expect(desk()).toEqual(expect.arrayContaining(kept));
});

test('a channel is open where one more role or member sees it, whatever everyone sees', () => {
  const { backup, guild, idMap } = setUp();
  const desk = guild.state.channels.at(-1);
  const subjects = [
    { id: '201', kind: 'role' as const },
    { id: '600', kind: 'member' as const },
  ];
  for (const subject of subjects) {
    const overwrites = [...staffOnly, { ...subject, allow: see, deny: '0' }];
    Object.assign(desk ?? {}, { overwrites });
    const [open] = findOpenChannels(snapshotOf(backup), guild.state, idMap);
    expect(open?.letIn).toEqual([subject]);
  }
  Object.assign(desk ?? {}, { overwrites: [shut] });
  expect(findOpenChannels(snapshotOf(backup), guild.state, idMap)).toEqual([]);
});
