import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useAct } from './use-act.ts';

type ConfirmStopProps = {
  /** What the button says: "Stop the restore". */
  label: string;
  /** What stays as it is, and what does not. */
  children: string;
  onStop: () => Promise<unknown>;
};

/** Stopping something must be quick, but not happen by a slip of the hand. */
export const ConfirmStop = ({ label, children, onStop }: ConfirmStopProps) => {
  const [isAsking, asking] = useDisclosure(false);
  const stop = useAct<void>(onStop, { done: 'It stops as soon as it can.' });
  return (
    <>
      <Button variant="default" onClick={asking.open} disabled={stop.isSuccess}>
        {stop.isSuccess ? 'Stopping…' : label}
      </Button>
      <Modal opened={isAsking} onClose={asking.close} title={`${label}?`} centered>
        <Stack>
          <Text size="sm">{children}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={asking.close}>
              Let it go on
            </Button>
            <Button
              color="red"
              loading={stop.isPending}
              onClick={() => stop.mutate(undefined, { onSettled: asking.close })}
              data-autofocus
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};
