import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconExternalLink, IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { api } from '../../../api.ts';
import { Moment } from '../../../components/display.tsx';
import { Note, Section } from '../../../components/page.tsx';
import { useAction } from '../../../components/use-action.ts';
import { formatMoney } from '../../../labels/format.ts';
import { completedMessage, orderEndLabels } from '../../../labels/orders.ts';
import { changedByOrder } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import { ConfirmDelivery, ReportDelivery } from './order-delivery.tsx';

/** What the reader can do about the order now. */
export const OrderNext = ({ order }: { order: OwnOrder }) => {
  const { status, role, deliveryType } = order;
  const isManual = deliveryType === 'MANUAL';
  const isPaidFor = status === 'PAID' || status === 'FULFILLING';
  if (status === 'COMPLETED') return <Completed order={order} />;
  if (!isPaidFor && status !== 'PENDING') {
    return (
      <Note title={orderEndLabels[status].title}>{orderEndLabels[status].message(order)}</Note>
    );
  }
  if (status === 'PENDING') {
    return role === 'BUYER' ? (
      <Section title="Next step">
        <Stack gap="md">
          <Text size="sm">
            {order.checkoutUrl === null ? onItsWayMessage : heldMessages[order.deliveryType]}
          </Text>
          <Group gap="sm" align="flex-start">
            <PayOrder order={order} />
            <CancelOrder order={order} />
          </Group>
        </Stack>
      </Section>
    ) : (
      <Note title="Not paid yet">There is nothing to do until the buyer has paid.</Note>
    );
  }
  if (!isManual) return <Note title="Being delivered">{automaticMessages[role]}</Note>;
  return role === 'SELLER' ? <ReportDelivery order={order} /> : <ConfirmDelivery order={order} />;
};

/** Paid by a method that takes days: the provider has no page for it any more. */
const onItsWayMessage =
  'Your payment is on its way, which can take days. The order goes on as soon as it has arrived.';

/** Why it is safe to pay. */
const heldMessages: Record<OwnOrder['deliveryType'], string> = {
  AUTOMATIC: 'It is delivered as soon as it is paid. If that fails, you get your money back.',
  MANUAL: 'Your money is held until you confirm the delivery.',
};

const automaticMessages: Record<OwnOrder['role'], string> = {
  BUYER: 'It is copied into your account as a backup. That takes a few seconds.',
  SELLER: 'It is delivered automatically. There is nothing to do.',
};

const Completed = ({ order }: { order: OwnOrder }) => {
  const { role, deliveryType, serverId, backupId, refundedCents } = order;
  const isUnrefunded = refundedCents === 0;
  return (
    <Alert
      color={isUnrefunded ? 'green' : 'blue'}
      title={isUnrefunded ? 'All done' : 'Completed, and refunded since'}
      icon={isUnrefunded ? <IconCircleCheck aria-hidden /> : <IconInfoCircle aria-hidden />}
    >
      <Text size="sm">{completedMessage(order)}</Text>
      {role === 'BUYER' && deliveryType === 'AUTOMATIC' && serverId && backupId && (
        <Button component={Link} to={`/servers/${serverId}/backups/${backupId}`} mt="sm">
          Open the backup
        </Button>
      )}
    </Alert>
  );
};

/** Without a confirmation: nothing is paid yet, so nothing can be lost. */
const CancelOrder = ({ order: { id } }: { order: OwnOrder }) => {
  const cancel = useAction<void>(() => api.cancelOrder({ params: { id } }), {
    message: 'The order is cancelled.',
    invalidates: changedByOrder(id),
  });
  return (
    <Button
      variant="default"
      w={{ base: '100%', xs: 'auto' }}
      loading={cancel.isPending}
      onClick={() => cancel.mutate()}
    >
      Cancel the order
    </Button>
  );
};

/** Opens the provider's page, which leads back here. */
const PayOrder = ({ order }: { order: OwnOrder }) => {
  const { checkoutUrl, totalCents, currency, expiresAt, payWith } = order;
  if (checkoutUrl === null) return null;
  return (
    <Stack gap={4} w={{ base: '100%', xs: 'auto' }}>
      <Button
        component="a"
        href={checkoutUrl}
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        Pay {formatMoney(totalCents, currency)}{' '}
        {payWith === 'CARD' ? 'by card' : 'with cryptocurrency'}
      </Button>
      {expiresAt && (
        <Text size="xs" c="dimmed">
          Can be paid until <Moment at={expiresAt} isExact />
        </Text>
      )}
    </Stack>
  );
};
