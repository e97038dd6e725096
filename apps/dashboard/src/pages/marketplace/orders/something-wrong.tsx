import { Button, List, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CopyField } from '../../../components/copy-field.tsx';
import { Name } from '../../../components/display.tsx';
import type { OwnOrder } from '../../../queries/records.ts';

/** What a buyer can do while the money is held. */
export const SomethingWrong = ({ order }: { order: OwnOrder }) => {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="subtle" onClick={open}>
        Something is wrong
      </Button>
      <Modal opened={isOpen} onClose={close} title="Something is wrong with this order">
        <Stack gap="md">
          <Text size="sm">
            Do not confirm it: the seller has no money until you do. Act within 14 days of the
            delivery, because then it counts as confirmed.
          </Text>
          <List type="ordered" size="sm" spacing="xs">
            <List.Item>
              Write to <Name>{order.otherParty?.username ?? 'the seller'}</Name> on the platform and
              say what is missing.
            </List.Item>
            <List.Item>
              If you do not agree, ask the operator of this service for a refund, with the number of
              the order.
            </List.Item>
            {order.payWith === 'CARD' && (
              <List.Item>
                You can also dispute the charge with your bank. The money stays held until that is
                decided.
              </List.Item>
            )}
          </List>
          <CopyField label="Number of the order" value={order.id} />
        </Stack>
      </Modal>
    </>
  );
};
