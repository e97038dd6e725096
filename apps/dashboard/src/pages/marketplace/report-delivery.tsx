import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { Section } from '../../parts/section.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type OwnOrder, touchedBy } from './use-order.ts';

/** What the seller has handed over so far; it only ever becomes more. */
export const ReportDelivery = ({ order }: { order: OwnOrder }) => {
  const isAllThere = order.fulfillment.delivered === order.quantity;
  return order.status === 'FULFILLING' && isAllThere ? <AllDelivered /> : <Form order={order} />;
};

const AllDelivered = () => (
  <Section title="What next">
    <Text size="sm">
      All of it is delivered. The money is yours when the buyer confirms it, at the latest 14 days
      after you reported it.
    </Text>
  </Section>
);

const Form = ({ order: { id, quantity, fulfillment } }: { order: OwnOrder }) => {
  const [delivered, setDelivered] = useState<number | string>(quantity);
  const report = useAct<void>(
    () => api.deliverOrder({ params: { id }, body: { delivered: Number(delivered) } }),
    { done: 'The buyer is told.', touches: touchedBy(id), isQuietOnError: true },
  );
  return (
    <Section title="Deliver it" note="Hand it over as you agreed, then say how many there are now.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          report.mutate();
        }}
      >
        <Stack gap="md">
          <Group align="flex-end" gap="sm">
            <NumberInput
              label={`Delivered in all, of ${quantity}`}
              value={delivered}
              onChange={setDelivered}
              min={fulfillment.delivered}
              max={quantity}
              allowDecimal={false}
              w={200}
              error={fieldError(report.error, 'delivered')}
            />
            <Button type="submit" loading={report.isPending} disabled={delivered === ''}>
              Report the delivery
            </Button>
          </Group>
          {report.error && <ErrorNote error={report.error} />}
        </Stack>
      </form>
    </Section>
  );
};
