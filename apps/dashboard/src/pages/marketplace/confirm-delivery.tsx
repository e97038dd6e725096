import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../api.ts';
import { Section } from '../../parts/section.tsx';
import { useAct } from '../../parts/use-act.ts';
import { countWords, moneyWords } from '../../parts/words.ts';
import { type OwnOrder, touchedBy } from './use-order.ts';

/** The buyer's word gives the seller the money: it is asked for once more. */
export const ConfirmDelivery = ({ order }: { order: OwnOrder }) => {
  const [isAsking, asking] = useDisclosure(false);
  const { id, status, totalCents, currency, fulfillment } = order;
  const isAllThere = fulfillment.delivered === fulfillment.total;
  const confirm = useAct<void>(() => api.confirmOrder({ params: { id } }), {
    done: 'The seller has been paid.',
    touches: touchedBy(id),
    onDone: asking.close,
  });
  return (
    <Section title="What next">
      <Stack gap="md" align="flex-start">
        <Text size="sm">{waitingWords(order)}</Text>
        {status === 'FULFILLING' && (
          <Button variant={isAllThere ? 'filled' : 'default'} onClick={asking.open}>
            I have received it
          </Button>
        )}
      </Stack>
      <Modal opened={isAsking} onClose={asking.close} title="Have you received it all?" centered>
        <Stack>
          <Text size="sm">
            The seller then gets {moneyWords(totalCents, currency)}, less the fee. This cannot be
            taken back here.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={asking.close}>
              Not yet
            </Button>
            <Button loading={confirm.isPending} onClick={() => confirm.mutate()} data-autofocus>
              Yes, pay the seller
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Section>
  );
};

const waitingWords = ({ status, fulfillment: { delivered, total } }: OwnOrder): string => {
  if (status === 'PAID') return 'Your money is held. The seller knows, and delivers it next.';
  const soFar = `The seller says that ${countWords(delivered)} of ${countWords(total)} are delivered.`;
  return delivered < total
    ? soFar
    : `${soFar} Confirm it once you have it; 14 days later it counts as confirmed.`;
};
