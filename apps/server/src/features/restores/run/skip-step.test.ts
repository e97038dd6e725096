import { describe, expect, test } from 'bun:test';
import { reasonToSkip } from './skip-step.ts';

describe('when a step fails', () => {
  const step = { stage: 'deleteChannels', type: 'channel', effect: 'delete', name: 'old' } as const;
  const create = { stage: 'build', type: 'channel', effect: 'create', name: 'general' } as const;
  const shield = { stage: 'tighten', type: 'channel', effect: 'update', name: 'staff' } as const;

  test('old channels stay where a new one could not be made', () => {
    expect(reasonToSkip(step, [create])).toContain('general');
    expect(reasonToSkip(step, [])).toBeUndefined();
  });

  test('nothing more is done where rights could not be taken away first', () => {
    expect(reasonToSkip(create, [shield])).toContain('staff');
  });

  test('everyone becomes an administrator only where the old channels are gone', () => {
    const grant = { stage: 'sweep', type: 'role', effect: 'update', name: '@everyone' } as const;
    expect(reasonToSkip(grant, [step])).toContain('Held back');
    expect(reasonToSkip(grant, [])).toBeUndefined();
  });
});
