import { Alert, Button, Group, Text } from '@mantine/core';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Section } from '../../parts/section.tsx';
import { CancelOrder } from './cancel-order.tsx';
import { ConfirmDelivery } from './confirm-delivery.tsx';
import { completedWords, endWords } from './end-words.ts';
import { PayOrder } from './pay-order.tsx';
import { ReportDelivery } from './report-delivery.tsx';
import type { OwnOrder } from './use-order.ts';

/** Whose turn it is, and what they can do. */
export const OrderNext = ({ order }: { order: OwnOrder }) => {
  const { status, role, deliveryType } = order;
  const isManual = deliveryType === 'MANUAL';
  const isPaidFor = status === 'PAID' || status === 'FULFILLING';
  if (status === 'COMPLETED') return <Completed order={order} />;
  if (!isPaidFor && status !== 'PENDING') {
    return <Note title={endWords[status].title}>{endWords[status].words(order)}</Note>;
  }
  if (status === 'PENDING') {
    return role === 'BUYER' ? (
      <Section title="What next">
        <Group gap="sm">
          <PayOrder order={order} />
          <CancelOrder order={order} />
        </Group>
      </Section>
    ) : (
      <Note title="Not paid yet">There is nothing to do until the buyer has paid.</Note>
    );
  }
  if (!isManual) return <Note title="Being delivered">{automaticWords[role]}</Note>;
  return role === 'SELLER' ? <ReportDelivery order={order} /> : <ConfirmDelivery order={order} />;
};

const automaticWords: Record<OwnOrder['role'], string> = {
  BUYER: 'It is copied into your account as a backup. That takes a few seconds.',
  SELLER: 'It is delivered by itself. You need not do anything.',
};

const Note = ({ title, children }: { title: string; children: ReactNode }) => (
  <Alert color="blue" variant="light" title={title} icon={<IconInfoCircle aria-hidden />}>
    {children}
  </Alert>
);

const Completed = ({ order }: { order: OwnOrder }) => {
  const { role, deliveryType, serverId, backupId, refundedCents } = order;
  const isWhole = refundedCents === 0;
  return (
    <Alert
      color={isWhole ? 'green' : 'blue'}
      title={isWhole ? 'All done' : 'Completed, and money given back since'}
      icon={isWhole ? <IconCircleCheck aria-hidden /> : <IconInfoCircle aria-hidden />}
    >
      <Text size="sm">{completedWords(order)}</Text>
      {role === 'BUYER' && deliveryType === 'AUTOMATIC' && serverId && backupId && (
        <Button component={Link} to={`/servers/${serverId}/backups/${backupId}`} mt="sm">
          Open the backup
        </Button>
      )}
    </Alert>
  );
};
