import { expect, test } from 'bun:test';
import { describeChange } from './plan-changes.ts';

const names = new Map([
  ['500000000000000001', 'rules'],
  ['500000000000000002', 'Crew\u001b[31m'],
]);
const nameOf = (id: string) => names.get(id);

test.each([
  [
    'an id as its name',
    { field: 'rules_channel_id', from: null, to: '500000000000000001' },
    ['rules channel: – → rules'],
  ],
  [
    'an id that nobody knows as it is',
    { field: 'parent_id', from: '500000000000000009', to: '500000000000000001' },
    ['parent: 500000000000000009 → rules'],
  ],
  [
    'what a hostile name would do to a terminal not at all',
    { field: 'roles', from: [], to: ['500000000000000002'] },
    ['roles: – → Crew\ufffd[31m'],
  ],
  [
    'of permissions only the difference',
    { field: 'permissions', from: ['A', 'B'], to: ['B', 'C'] },
    ['permissions: +C -A'],
  ],
  [
    'overwrites by whom they are for, and those that stay not at all',
    {
      field: 'permission_overwrites',
      from: [
        { id: '1', name: 'Crew', type: 'role', allow: ['SPEAK'], deny: [] },
        { id: '2', name: 'Guests', type: 'role', allow: [], deny: ['SPEAK'] },
      ],
      to: [
        { id: '1', name: 'Crew', type: 'role', allow: [], deny: ['SPEAK'] },
        { id: '2', name: 'Guests', type: 'role', allow: [], deny: ['SPEAK'] },
      ],
    },
    ['Crew: allowed -SPEAK; denied +SPEAK'],
  ],
  [
    'entries by what they are known by',
    {
      field: 'welcome_channels',
      from: [],
      to: [{ channel_id: '500000000000000001', description: 'Read them' }],
    },
    ['welcome channels: – → rules'],
  ],
  [
    'that something differs which has no short name',
    { field: 'prompts', from: [{ title: 'Why?', type: 0 }], to: [{ title: 'Why?', type: 1 }] },
    ['prompts: other details'],
  ],
  ['the order as names', { field: 'position', from: null, to: ['a', 'b'] }, ['order: a, b']],
])('a change shows %s', (_, change, lines) => {
  expect(describeChange(change, nameOf)).toEqual(lines);
});
