import { expect, test } from 'bun:test';
import { fieldLabel, viewChange } from './changes.ts';

test('permissions are shown as what is added and what is removed', () => {
  const change = {
    field: 'permissions',
    from: ['VIEW_CHANNEL', 'BAN_MEMBERS'],
    to: ['VIEW_CHANNEL', 'SEND_MESSAGES'],
  };
  expect(viewChange(change)).toEqual({
    kind: 'permissions',
    difference: { added: ['SEND_MESSAGES'], removed: ['BAN_MEMBERS'] },
  });
});

test('of the permissions in a channel only the roles that change are shown', () => {
  const staff = { id: '1', type: 'role', name: 'Staff', allow: ['VIEW_CHANNEL'], deny: [] };
  const crew = { id: '2', type: 'role', name: 'Crew', allow: [], deny: ['VIEW_CHANNEL'] };
  const person = { id: '3', type: 'member', allow: ['VIEW_CHANNEL'], deny: [] };
  const view = viewChange({
    field: 'permission_overwrites',
    from: [staff, crew],
    to: [staff, { ...crew, deny: [] }, person],
  });
  expect(view).toEqual({
    kind: 'overwrites',
    roles: [
      {
        ...{ id: '2', name: 'Crew' },
        allowed: { added: [], removed: [] },
        denied: { added: [], removed: ['VIEW_CHANNEL'] },
      },
      {
        ...{ id: '3', name: 'Person 3' },
        allowed: { added: ['VIEW_CHANNEL'], removed: [] },
        denied: { added: [], removed: [] },
      },
    ],
  });
});

test('any other value is shown as text', () => {
  const shown = (from: boolean | null, to: string[] | boolean) =>
    viewChange({ field: 'hoist', from, to });
  expect(shown(false, true)).toEqual({ kind: 'text', from: 'no', to: 'yes' });
  expect(shown(null, ['COMMUNITY', 'NEWS'])).toEqual({
    ...{ kind: 'text', from: 'none', to: 'COMMUNITY, NEWS' },
  });
});

test('ids of channels and roles are shown by their names, where these are known', () => {
  const nameOf = (id: string) => (id === '1' ? 'rules' : undefined);
  const change = { field: 'rules_channel_id', from: '2', to: '1' };
  expect(viewChange(change, nameOf)).toEqual({ kind: 'text', from: '2', to: 'rules' });
});

test('pictures and the numbers of levels are shown in words', () => {
  const icon = viewChange({ field: 'icon', from: null, to: 'a1b2c3' });
  expect(icon).toEqual({ kind: 'text', from: 'none', to: 'another picture' });
  const level = viewChange({ field: 'verification_level', from: 0, to: 3 });
  expect(level).toEqual({ kind: 'text', from: 'None', to: 'High' });
});

test('colours are shown as such, whether one or several', () => {
  expect(viewChange({ field: 'color', from: 0, to: 0x1f8b4c })).toEqual({
    ...{ kind: 'colors', from: [], to: ['#1f8b4c'] },
  });
  const colors = (primary_color: number, secondary_color: number | null) => ({
    ...{ primary_color, secondary_color, tertiary_color: null },
  });
  expect(viewChange({ field: 'colors', from: colors(1, null), to: colors(2, 3) })).toEqual({
    ...{ kind: 'colors', from: ['#000001'], to: ['#000002', '#000003'] },
  });
});

test('a field that has no label of ours keeps the name of the platform', () => {
  expect(fieldLabel('some_new_field')).toBe('some new field');
});
