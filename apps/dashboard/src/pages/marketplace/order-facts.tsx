import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { countWords, moneyWords } from '../../parts/words.ts';
import { payWords } from './market-words.ts';
import { priceWords } from './price.ts';
import type { OwnOrder } from './use-order.ts';

export const OrderFacts = ({ order }: { order: OwnOrder }) => {
  const { quantity, unitPriceCents, totalCents, feeCents, currency, refundedCents } = order;
  const facts = [
    { label: 'Price of one', value: priceWords(unitPriceCents, currency) },
    { label: 'How many', value: countWords(quantity) },
    { label: 'In all', value: priceWords(totalCents, currency) },
    ...(order.role === 'SELLER'
      ? [{ label: 'Fee of it', value: moneyWords(feeCents, currency) }]
      : []),
    ...(totalCents > 0 ? [{ label: 'Paid with', value: payWords[order.payWith] }] : []),
    ...(refundedCents > 0
      ? [{ label: 'Given back to the card', value: moneyWords(refundedCents, currency) }]
      : []),
    { label: 'Placed', value: <Moment at={order.createdAt} isExact /> },
    { label: 'Paid', value: <Moment at={order.paidAt} never="Not yet" isExact /> },
    ...(order.completedAt
      ? [{ label: 'Completed', value: <Moment at={order.completedAt} isExact /> }]
      : []),
  ];
  return <Facts facts={facts} />;
};
