import { describe, expect, test } from 'bun:test';
import { reasonToSkip, type TriedStep } from './skip-step.ts';

describe('when a step fails', () => {
  const step = { stage: 'deleteChannels', type: 'channel', effect: 'delete', name: 'old' } as const;
  const create = { stage: 'build', type: 'channel', effect: 'create', name: 'general' } as const;
  const shield = { stage: 'tighten', type: 'channel', effect: 'update', name: 'staff' } as const;

  test('old channels stay where a new one could not be made', () => {
    expect(reasonToSkip(step, [create])).toEqual({ code: 'notCreated', name: 'general' });
    expect(reasonToSkip(step, [])).toBeUndefined();
  });

  test('nothing more is done where rights could not be taken away first', () => {
    expect(reasonToSkip(create, [shield])).toEqual({ code: 'notTightened', name: 'staff' });
  });

  test('everyone becomes an administrator only where the old channels are gone', () => {
    const grant = { stage: 'sweep', type: 'role', effect: 'update', name: '@everyone' } as const;
    expect(reasonToSkip(grant, [step])).toEqual({ code: 'channelsLeft' });
    expect(reasonToSkip(grant, [])).toBeUndefined();
  });

  test('roles gain nothing and members get none where a channel could not be closed before', () => {
    const edit: TriedStep = {
      ...{ stage: 'edit', type: 'channel', effect: 'update', name: 'staff' },
      action: { do: 'editChannel', channel: { backup: '301' }, changes: { overwrites: [] } },
    };
    const role = { backup: '201' };
    const grant: TriedStep = {
      ...{ stage: 'finish', type: 'role', effect: 'update', name: 'Member' },
      action: { do: 'editRole', role, changes: { permissions: '8' } },
    };
    const member: TriedStep = {
      ...{ stage: 'members', type: 'member', effect: 'update', name: 'ann' },
      action: { do: 'editMember', userId: '600', roles: [role] },
    };
    expect(reasonToSkip(grant, [edit])).toEqual({ code: 'notEdited', name: 'staff' });
    expect(reasonToSkip(member, [edit])).toEqual({ code: 'notEdited', name: 'staff' });
    const rename: TriedStep = {
      ...grant,
      action: { do: 'editRole', role, changes: { name: 'M' } },
    };
    expect(reasonToSkip(rename, [edit])).toBeUndefined();
    const topic: TriedStep = {
      ...edit,
      action: { do: 'editChannel', channel: { backup: '301' }, changes: { topic: null } },
    };
    expect(reasonToSkip(grant, [topic])).toBeUndefined();
  });
});
