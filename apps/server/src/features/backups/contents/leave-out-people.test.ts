import { expect, test } from 'bun:test';
import { leaveOutPeople } from './leave-out-people.ts';

const topicOf = (topic: string) => leaveOutPeople([{ topic }]);

test('mentions of people and ids that may be theirs are left out of texts', () => {
  const person = '175928847299117063';
  expect(topicOf(`Ask <@${person}> or <@!${person}>`)).toEqual([
    { topic: 'Ask @someone or @someone' },
  ]);
  expect(topicOf(`Ask ${person}.`)).toEqual([{ topic: 'Ask 000.' }]);
});

test('channels, roles, emojis, ids of things and hashes stay', () => {
  const id = '175928847299117063';
  for (const text of [`<#${id}>`, `<@&${id}>`, `<:wave:${id}>`, id, `a0${id}b1`, `${id}c`]) {
    expect(topicOf(text)).toEqual([{ topic: text }]);
  }
});

test('overwrites for people are left out, those for roles stay', () => {
  const [role, member] = [
    { id: '1', kind: 'role', allow: '0' },
    { id: '2', kind: 'member', allow: '0' },
  ];
  expect(leaveOutPeople([{ overwrites: [role, member] }])).toEqual([{ overwrites: [role] }]);
});
