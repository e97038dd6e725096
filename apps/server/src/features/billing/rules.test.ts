import { describe, expect, test } from 'bun:test';
import {
  addFact,
  addMonth,
  type DisputeState,
  type Fact,
  type Facts,
  standingOf,
} from './rules.ts';

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

describe('the grace time of a plan counts from the first of what is wrong', () => {
  const failed = (days: number): Fact => ({
    ...{ kind: 'failure', at: at + days * day, invoiceId: `in_${days}` },
  });
  const disputed = (days: number, state: DisputeState = 'OPEN', disputeId = 'dp_1'): Fact => ({
    ...{ kind: 'dispute', at: at + days * day, disputeId, paymentRef: disputeId, state },
  });
  const paid = (days: number): Fact => ({ kind: 'payment', at: at + days * day, periodEnd: null });

  test.each<[string, Fact[], number | null]>([
    ['the payment, then the dispute', [failed(1), disputed(3)], 8],
    ['the dispute, then the payment', [disputed(1), failed(3)], 8],
    ['of two payments the first', [failed(3), failed(2)], 9],
    ['of two disputes the first', [disputed(3), disputed(2, 'OPEN', 'dp_2')], 9],
    ['the dispute, where the payment was made since', [failed(1), disputed(3), paid(4)], 10],
    [
      'the payment, where the dispute was won since',
      [disputed(1), failed(3), disputed(4, 'WON')],
      10,
    ],
    ['nothing, where both are over', [failed(1), disputed(2), paid(4), disputed(5, 'WON')], null],
  ])('%s', (_, happened, endsAfter) => {
    const begun: Fact = { kind: 'checkout', at, begunAt: at, isPaid: true, plan: 'PREMIUM' };
    const facts = [begun, ...happened].reduce(addFact, {});
    const standingAfter = (days: number) =>
      standingOf(facts, new Date((at + days * day) * 1000), 7);
    const { changesAt } = standingAfter(6);
    expect(changesAt && (changesAt.getTime() / 1000 - at) / day).toBe(endsAfter);
    const last = (endsAfter ?? 100) - 1 / day;
    expect([standingAfter(last).plan, standingAfter(endsAfter ?? 100).plan]).toEqual([
      'PREMIUM',
      endsAfter === null ? 'PREMIUM' : 'FREE',
    ]);
  });
});
