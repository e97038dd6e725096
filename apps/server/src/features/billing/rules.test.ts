import { expect, test } from 'bun:test';
import { addFact, addMonth, type Facts } from './rules.ts';

const day = 24 * 60 * 60;
const now = new Date('2026-03-01T00:00:00Z');
const at = now.getTime() / 1000;

const lose = (facts: Facts, disputeId: string, paymentRef: string): Facts =>
  addFact(facts, { kind: 'dispute', at, disputeId, paymentRef, state: 'LOST' });

test('a lost prepaid payment takes its month back once, however many disputes there were about it', () => {
  const twoMonths = addMonth(addMonth({}, 'PREMIUM', now), 'PREMIUM', now);
  expect(twoMonths.prepaidUntil).toBe(at + 60 * day);
  const once = lose(twoMonths, 'dp_1', 'pi_1');
  expect(once.prepaidUntil).toBe(at + 30 * day);
  expect(lose(once, 'dp_1', 'pi_1')).toEqual(once);
  const twice = lose(once, 'dp_2', 'pi_1');
  expect(twice.prepaidUntil).toBe(at + 30 * day);
  expect(lose(twice, 'dp_3', 'pi_2').prepaidUntil).toBe(at);
});
