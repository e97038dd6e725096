import { Group, NumberInput, Stack, Text } from '@mantine/core';
import { api } from '../../../api.ts';
import { ConfirmButton } from '../../../components/confirm.tsx';
import { Name } from '../../../components/display.tsx';
import { ApiForm, useApiForm } from '../../../components/form.tsx';
import { Section } from '../../../components/page.tsx';
import { formatMoney, formatRatio } from '../../../labels/format.ts';
import { isDelivered } from '../../../labels/orders.ts';
import { changedByOrder } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import { SomethingWrong } from './something-wrong.tsx';

/** The buyer's confirmation pays the seller, so it is asked for in a dialog. */
export const ConfirmDelivery = ({ order }: { order: OwnOrder }) => (
  <Section title="Next step">
    <Stack gap="md" align="flex-start">
      <Text size="sm">{deliveryMessage(order)}</Text>
      <Group gap="sm">
        {order.status === 'FULFILLING' && <ConfirmReceipt order={order} />}
        <SomethingWrong order={order} />
      </Group>
    </Stack>
  </Section>
);

const ConfirmReceipt = ({ order }: { order: OwnOrder }) => {
  const { id, totalCents, currency } = order;
  return (
    <ConfirmButton
      button={{
        variant: isDelivered(order) ? 'filled' : 'default',
        children: 'I have received it',
      }}
      title="Have you received everything?"
      label="Yes, pay the seller"
      action={() => api.confirmOrder({ params: { id } })}
      message="The seller has been paid."
      invalidates={changedByOrder(id)}
    >
      The seller then gets {formatMoney(totalCents, currency)}, less the fee. This cannot be undone
      here.
    </ConfirmButton>
  );
};

const deliveryMessage = ({ status, fulfillment: { delivered, total } }: OwnOrder): string => {
  if (status === 'PAID')
    return 'Your money is held. The seller has been notified and delivers next.';
  const soFar = `The seller reports that ${formatRatio(delivered, total)} are delivered.`;
  return delivered < total
    ? soFar
    : `${soFar} Confirm it once you have it; after 14 days it counts as confirmed.`;
};

/** For the seller: how much is delivered so far. The number can only grow. */
export const ReportDelivery = ({ order }: { order: OwnOrder }) => {
  const { status } = order;
  return status === 'FULFILLING' && isDelivered(order) ? (
    <Section title="Next step">
      <Text size="sm">
        Everything is delivered. You get the money when the buyer confirms it, at the latest 14 days
        after you reported it.
      </Text>
    </Section>
  ) : (
    <DeliveryForm order={order} />
  );
};

const DeliveryForm = ({ order }: { order: OwnOrder }) => {
  const { id, quantity, fulfillment, otherParty } = order;
  const form = useApiForm(
    { delivered: quantity as number | string },
    ({ delivered }) => api.deliverOrder({ params: { id }, body: { delivered: Number(delivered) } }),
    { message: 'The buyer is notified.', invalidates: changedByOrder(id) },
  );
  return (
    <Section
      title="Deliver it"
      note={
        <>
          Write to <Name>{otherParty?.username ?? 'the buyer'}</Name> on the platform and hand it
          over, then report how many are delivered.
        </>
      }
    >
      <ApiForm form={form} label="Report the delivery" isReady={form.values.delivered !== ''}>
        <NumberInput
          label={`Delivered in all, of ${quantity}`}
          min={fulfillment.delivered}
          max={quantity}
          allowDecimal={false}
          w={200}
          {...form.getInputProps('delivered')}
        />
      </ApiForm>
      {fulfillment.delivered === 0 && <DeclineOrder order={order} />}
    </Section>
  );
};

/** Only while nothing is delivered. */
const DeclineOrder = ({ order: { id, totalCents, currency } }: { order: OwnOrder }) => (
  <ConfirmButton
    button={{ variant: 'subtle', color: 'red', mt: 'md', children: 'Decline the order' }}
    title="Decline this order?"
    label="Decline the order"
    color="red"
    action={() => api.declineOrder({ params: { id } })}
    message="The order is declined."
    invalidates={changedByOrder(id)}
  >
    {totalCents === 0
      ? 'The order ends.'
      : `The order ends, and the buyer gets ${formatMoney(totalCents, currency)} back as credit.`}{' '}
    This cannot be undone.
  </ConfirmButton>
);
