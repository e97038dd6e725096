import { expect, test } from 'bun:test';
import {
  BOT,
  everyComponent,
  snapshotOf,
} from '../../../../test/harness/guilds/arbitrary-guild.ts';
import { guildId, smallGuild } from '../../../../test/harness/guilds/small-guild.ts';
import { loadBlank } from '../../../../test/harness/restores/run-on-model.ts';
import { planRestore } from '../plan/plan-restore.ts';
import { createModelGuild } from '../verify/model-guild.ts';
import { findCreated } from './find-created.ts';
import { runStep } from './run-step.ts';

test('of two channels of one name, the public one is never taken for the private one that was begun', async () => {
  const backup = smallGuild();
  const [open, hidden] = backup.channels;
  if (!open || !hidden) throw new Error('The server has two channels');
  backup.channels = [
    { ...open, name: 'room' },
    { ...hidden, name: 'room' },
  ];
  const { steps, idMap } = planRestore({
    snapshot: snapshotOf(backup),
    current: { ...smallGuild(), channels: [] },
    components: everyComponent,
    bot: BOT,
  });
  const [openStep, hiddenStep] = steps.filter(({ action }) => action.do === 'createChannel');
  if (!openStep || !hiddenStep) throw new Error('Both are made');
  const guild = createModelGuild({ ...smallGuild(), channels: [] });
  await runStep(guild, openStep.action, idMap, loadBlank);
  const evidence = {
    current: guild.state,
    idsBefore: new Set([guildId]),
    claimedIds: new Set<string>(),
  };
  expect(findCreated(hiddenStep.action, { ...evidence, idMap })).toEqual([]);
  const createdIds = guild.state.channels.map(({ id }) => id);
  expect(findCreated(openStep.action, { ...evidence, idMap })).toEqual(createdIds);
});
