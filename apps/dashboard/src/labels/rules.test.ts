import { expect, test } from 'bun:test';
import type { Rule } from '../queries/records.ts';
import { findRules, ruleLabel } from './rules.ts';

const ruleOf = (type: Rule['type'], value: string, note: string | null = null): Rule => ({
  ...{ id: `${type} ${value}`, serverId: 'server', createdAt: '2026-01-31T12:00:00.000Z' },
  ...{ type, value, note },
});

const iceland = ruleOf('COUNTRY', 'IS', 'Quiet week');
const network = ruleOf('ASN', '64500');
const block = ruleOf('IP', '203.0.113.0/24', 'spam wave');
const all = [iceland, network, block];

test('a country is found by its name and by its code, a network with and without AS', () => {
  expect(findRules(all, { search: 'iceland', type: null })).toEqual([iceland]);
  expect(findRules(all, { search: '(is)', type: null })).toEqual([iceland]);
  expect(findRules(all, { search: 'as64500', type: null })).toEqual([network]);
  expect(findRules(all, { search: '645', type: null })).toEqual([network]);
});

test('a rule is found by its note, whatever the case and the blanks around', () => {
  expect(findRules(all, { search: '  SPAM ', type: null })).toEqual([block]);
});

test('a type leaves the others out, and nothing typed leaves nothing out', () => {
  expect(findRules(all, { search: '', type: 'IP' })).toEqual([block]);
  expect(findRules(all, { search: '', type: null })).toEqual(all);
  expect(findRules(all, { search: 'spam', type: 'ASN' })).toEqual([]);
});

test('a value is shown as people write it', () => {
  expect(all.map(ruleLabel)).toEqual(['Iceland (IS)', 'AS64500', '203.0.113.0/24']);
});
