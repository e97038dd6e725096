import { Anchor, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, StatusBadge } from '../../components/display.tsx';
import { type Column, PagedTable, usePageNumber } from '../../components/list.tsx';
import {
  billingEventLabel,
  billingOutcomeLabels,
  ledgerTypeLabels,
  potLabels,
  providerLabels,
} from '../../labels/billing.ts';
import { formatMoney } from '../../labels/format.ts';
import { billingEventsQuery, ledgerQuery } from '../../queries/billing.ts';
import type { BillingEvent, LedgerEntry } from '../../queries/records.ts';

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

const signed = (cents: number, currency: string): string =>
  `${cents > 0 ? '+' : ''}${formatMoney(cents, currency)}`;

const ledgerColumns: Column<LedgerEntry>[] = [
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Type', cell: ({ type }) => ledgerTypeLabels[type] },
  { header: 'Pot', cell: ({ pot }) => potLabels[pot] },
  { header: 'Reference', cell: (entry) => <Reference entry={entry} /> },
  {
    header: 'Amount',
    cell: ({ amountCents, currency }) => signed(amountCents, currency),
    isNumber: true,
  },
  {
    header: 'Balance of the pot',
    cell: ({ balanceCents, currency }) => formatMoney(balanceCents, currency),
    isNumber: true,
  },
];

/** Orders have a page to link to; the rest is shown by the reference itself. */
const Reference = ({ entry: { type, reference } }: { entry: LedgerEntry }) =>
  isUuid(reference) && type !== 'PAYOUT' ? (
    <Anchor component={Link} to={`/marketplace/orders/${reference}`} size="sm">
      Order
    </Anchor>
  ) : (
    <Code>{type === 'PAYOUT' ? reference.slice(-8) : reference}</Code>
  );

export const Ledger = () => {
  const ledger = useQuery(ledgerQuery(usePageNumber()));
  return (
    <PagedTable
      query={ledger}
      empty={<Text size="sm">No transactions yet.</Text>}
      caption="Transactions, newest first"
      columns={ledgerColumns}
    />
  );
};

const eventColumns: Column<BillingEvent>[] = [
  { header: 'When', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'Provider', cell: ({ provider }) => providerLabels[provider] },
  { header: 'Event', cell: ({ type }) => billingEventLabel(type) },
  {
    header: 'Outcome',
    cell: ({ outcome }) => (
      <Group gap="xs">
        <StatusBadge status={outcome} />
        <Text size="sm">{billingOutcomeLabels[outcome]}</Text>
      </Group>
    ),
  },
  {
    header: 'ID',
    cell: ({ providerEventId }) => <Code>{providerEventId}</Code>,
  },
];

export const BillingEvents = () => {
  const events = useQuery(billingEventsQuery(usePageNumber()));
  return (
    <PagedTable
      query={events}
      empty={<Text size="sm">No payment provider has sent an event about you yet.</Text>}
      caption="Events of payment providers, newest first"
      columns={eventColumns}
    />
  );
};
