import type { OrderStatus } from '@holdfast/contract';
import { moneyWords } from '../../parts/words.ts';
import type { OwnOrder } from './use-order.ts';

type EndStatus = Exclude<OrderStatus, 'PENDING' | 'PAID' | 'FULFILLING' | 'COMPLETED'>;
type EndWords = { title: string; words: (order: OwnOrder) => string };

const backToBuyer = ({ role, refundedCents, totalCents, currency }: OwnOrder): string => {
  const returnedCents = totalCents - refundedCents;
  const whose = role === 'BUYER' ? 'your' : 'the buyer’s';
  const parts = [
    ...(refundedCents > 0 ? [`${moneyWords(refundedCents, currency)} on ${whose} card`] : []),
    ...(returnedCents > 0 ? [`${moneyWords(returnedCents, currency)} in ${whose} balance`] : []),
  ];
  return `The money is back: ${parts.join(', ')}.`;
};

/** Why it goes on no more, and where the money is. */
export const endWords: Record<EndStatus, EndWords> = {
  CANCELLED: {
    title: 'Cancelled',
    words: () => 'It was cancelled before it was paid. No money has moved.',
  },
  EXPIRED: {
    title: 'Expired',
    words: () => 'Nobody paid for it in time. No money has moved; it can be ordered again.',
  },
  REFUNDED: { title: 'Refunded', words: backToBuyer },
  FAILED: {
    title: 'It could not be delivered',
    words: (order) =>
      order.paidAt === null
        ? 'The payment did not come through. No money has moved; it can be ordered again.'
        : `${backToBuyer(order)} The list of backups says why.`,
  },
};

/** What either side has of it, and what the card provider has given back since. */
export const completedWords = (order: OwnOrder): string => {
  const { role, totalCents, feeCents, refundedCents, currency } = order;
  const refunded = moneyWords(refundedCents, currency);
  if (role === 'BUYER') {
    const delivered = deliveredWords[order.deliveryType];
    return refundedCents > 0 ? `${delivered} ${refunded} went back to your card.` : delivered;
  }
  const earned = `You got ${moneyWords(totalCents - feeCents, currency)} for it.`;
  return refundedCents > 0
    ? `${earned} Since then ${refunded} went back to the buyer’s card and were taken from your balance; the fee for that part came back to you.`
    : earned;
};

const deliveredWords: Record<OwnOrder['deliveryType'], string> = {
  AUTOMATIC:
    'It is a backup of the server you chose. Look at what a restore would do before you start one.',
  MANUAL: 'The delivery is confirmed, and the seller has been paid.',
};
