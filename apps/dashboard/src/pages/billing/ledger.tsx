import type { LedgerPot, LedgerType } from '@holdfast/contract';
import type { Entry } from '@holdfast/sdk';
import { Anchor, Code, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { moneyWords } from '../../parts/words.ts';

type LedgerEntry = Entry<'listLedger'>;

const typeWords: Record<LedgerType, string> = {
  REFUND: 'Refund',
  PURCHASE: 'Bought',
  SALE: 'Sold',
  FEE: 'Fee',
  PAYOUT: 'Payout',
  ADJUSTMENT: 'Adjustment',
};

const potWords: Record<LedgerPot, string> = { EARNED: 'Earned', CREDIT: 'Credit' };

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? '+' : ''}${moneyWords(cents, currency)}`;

const columns: Column<LedgerEntry>[] = [
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'What', cell: ({ type }) => typeWords[type] },
  { header: 'Pot', cell: ({ pot }) => potWords[pot] },
  { header: 'About', cell: (entry) => <Reference entry={entry} /> },
  {
    header: 'Moved',
    cell: ({ amountCents, currency }) => signed(amountCents, currency),
    isNumber: true,
  },
  {
    header: 'Pot after',
    cell: ({ balanceCents, currency }) => moneyWords(balanceCents, currency),
    isNumber: true,
  },
];

/** Orders have a page of their own; of a plan there is none, and of the rest the provider's name is all there is. */
const Reference = ({ entry: { type, reference } }: { entry: LedgerEntry }) =>
  isUuid(reference) && type !== 'PAYOUT' ? (
    <Anchor component={Link} to={`/marketplace/orders/${reference}`} size="sm">
      The order
    </Anchor>
  ) : (
    <Code>{type === 'PAYOUT' ? reference.slice(-8) : reference}</Code>
  );

export const Ledger = () => {
  const page = usePageNumber();
  const ledger = useQuery({
    queryKey: ['ledger', 'list', page],
    queryFn: () => api.listLedger({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={ledger}>
      {({ data, pagination }) =>
        pagination.total === 0 ? (
          <Text size="sm">Nothing has moved yet.</Text>
        ) : (
          <>
            <RecordTable caption="Movements of your balance" columns={columns} rows={data} />
            <PageTurner pagination={pagination} />
          </>
        )
      }
    </Loaded>
  );
};
