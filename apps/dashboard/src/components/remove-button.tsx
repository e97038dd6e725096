import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';

type RemoveButtonProps = {
  /** What it removes, for those who cannot see the row: "Delete the rule 203.0.113.0/24". */
  label: string;
  isPending: boolean;
  onRemove: () => void;
};

/** Deletes at once what can be brought back: the toast that follows has the way back. */
export const RemoveButton = ({ label, isPending, onRemove }: RemoveButtonProps) => (
  <ActionIcon
    variant="subtle"
    color="red"
    aria-label={label}
    title={label}
    loading={isPending}
    onClick={onRemove}
  >
    <IconTrash size={18} stroke={1.6} aria-hidden />
  </ActionIcon>
);
