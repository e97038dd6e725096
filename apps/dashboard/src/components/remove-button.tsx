import { ActionIcon, Button, Popover, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';

type RemoveButtonProps = {
  /** What it removes, for those who cannot see the row: "Delete the rule 203.0.113.0/24". */
  label: string;
  /** What that will mean. */
  question: string;
  /** What the button says, as a verb. */
  verb: string;
  isPending?: boolean;
  onRemove: () => void;
};

/** Deletes what is easily made again: one question, and nothing to type. */
export const RemoveButton = (props: RemoveButtonProps) => {
  const { label, question, verb, isPending = false, onRemove } = props;
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <Popover opened={isOpen} onChange={close} trapFocus withArrow position="left" width={260}>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={label}
          loading={isPending}
          onClick={toggle}
        >
          <IconTrash size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Stack gap="sm" ta="left">
          <Text size="sm">{question}</Text>
          <Button
            size="xs"
            color="red"
            onClick={() => {
              close();
              onRemove();
            }}
          >
            {verb}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
};
