import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment, StatusBadge } from '../../components/display.tsx';
import { type Column, RecordTable } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { formatMoney } from '../../labels/format.ts';
import { billingStatusQuery, receiptsQuery } from '../../queries/billing.ts';
import type { Receipt } from '../../queries/records.ts';

/** Only for accounts that the card provider knows. */
export const Receipts = () => {
  const { data: billing } = useQuery(billingStatusQuery);
  return billing?.hasReceipts ? <ReceiptList /> : null;
};

const columns: Column<Receipt>[] = [
  { header: 'Date', cell: ({ createdAt }) => <Moment at={createdAt} isExact /> },
  { header: 'For', cell: ({ description }) => description },
  {
    header: 'Amount',
    cell: ({ amountCents, currency }) => formatMoney(amountCents, currency),
    isNumber: true,
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Receipt', cell: (receipt) => <Links receipt={receipt} /> },
];

const ReceiptList = () => {
  const receipts = useQuery(receiptsQuery);
  return (
    <Section title="Receipts" note="Invoices of the card provider for your plans, newest first.">
      <Loaded query={receipts} height={120}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm">No invoices yet.</Text>
          ) : (
            <RecordTable caption="Invoices, newest first" columns={columns} rows={rows} />
          )
        }
      </Loaded>
    </Section>
  );
};

const Links = ({ receipt: { number, createdAt, pageUrl, pdfUrl } }: { receipt: Receipt }) => {
  const name = number ?? createdAt.slice(0, 10);
  return (
    <Group gap="sm" wrap="nowrap">
      {pageUrl && (
        <Anchor
          href={pageUrl}
          size="sm"
          target="_blank"
          rel="noreferrer"
          aria-label={`View ${name}`}
        >
          View
        </Anchor>
      )}
      {pdfUrl && (
        <Anchor href={pdfUrl} size="sm" rel="noreferrer" aria-label={`PDF of ${name}`}>
          PDF
        </Anchor>
      )}
    </Group>
  );
};
